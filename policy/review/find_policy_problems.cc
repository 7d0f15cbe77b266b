#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "config/load/call_json.h"
#include "config/permission.h"
#include "policy/access/rule_set.h"
#include "policy/check/check_access.h"
#include "policy/check/compile_policy.h"
#include "policy/predicate/time_window.h"
#include "policy/review/example_call.h"
#include "policy/review/find_approval_problems.h"
#include "policy/review/find_covered_rules.h"
#include "policy/text/match.h"
#include "policy/url/address_range.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

/// Reviews one configuration and gathers its problems.
class Review {
 public:
  explicit Review(const Config& config) : config_(config) {
    for (const auto& [id, principal] : config.principals)
      held_roles_.insert(principal.roles.begin(), principal.roles.end());
    for (const IssuerConfig& issuer : config.auth.issuers) {
      for (const auto& [claim, values] : issuer.roles) {
        for (const auto& [value, roles] : values)
          held_roles_.insert(roles.begin(), roles.end());
      }
    }
    for (const FrontDoorConfig& door : config.auth.front_doors) {
      for (const auto& [claim, values] : door.provider.roles) {
        for (const auto& [value, roles] : values)
          held_roles_.insert(roles.begin(), roles.end());
      }
    }
  }

  std::vector<ConfigProblem> run() && {
    review_settings();
    for (const auto& [name, rule] : config_.rules)
      review_rule(rule);
    for (const ToolProfile& profile : config_.tools)
      review_profile(profile);
    review_limits();
    review_unused_paths();
    review_unused_roles();
    return std::move(problems_);
  }

 private:
  void report(Severity severity, const Position& where, std::string message,
              std::string hint = {}) {
    problems_.push_back({severity, text(config_, where), std::move(message), std::move(hint)});
  }
  void warn(const Position& where, std::string message, std::string hint = {},
            const std::optional<DescribedCall>& example = {}) {
    report(Severity::warning, where, std::move(message), std::move(hint));
    if (example.has_value()) problems_.back().example = call_json(*example);
  }

  void review_settings() {
    if (!config_.listen.proxies.networks.empty()) {
      review_networks({config_.listen.proxies.networks}, config_.listen.where);
    }
    const PolicySettings& settings = config_.policy;
    if (settings.mode != PolicySettings::Mode::observe || settings.until) return;
    report(Severity::error, settings.where, "mode = \"observe\" needs until",
           "write until = DATE, after which everything enforces again");
  }

  void review_rule(const RuleConfig& rule) {
    if (rule.observe && rule.effect == Effect::permit) {
      report(Severity::error, rule.where,
             "rule " + in_quotes(rule.name) + " observes a permit, which would grant nothing");
    }
    if (!names_everyone(rule)) {
      for (const std::string& role : rule.roles)
        review_role(rule, role);
    }
    review_conditions(rule.when);
    review_conditions(rule.unless);
    for (const std::string& pattern : rule.patterns) {
      if (rule.target == RuleTarget::methods) {
        review_method(rule, pattern);
      } else {
        review_pattern(pattern, rule.where);
      }
    }
  }

  void review_conditions(const RuleConditions& conditions) {
    for (const ArgumentPredicate& predicate : conditions.arguments)
      review_predicate(predicate);
    for (const FactCondition& condition : conditions.facts) {
      if (const auto* addresses = std::get_if<AddressCondition>(&condition.fact)) {
        review_networks(*addresses, condition.where);
      }
      const auto* time = std::get_if<TimeCondition>(&condition.fact);
      if (time == nullptr || time->zone.empty() || TimeWindow(*time).has_zone()) continue;
      report(Severity::error, condition.where, in_quotes(time->zone) + " is not a time zone",
             R"(write a name of the time zone database, such as "Europe/Berlin" or "UTC")");
    }
  }

  void review_networks(const AddressCondition& addresses, const Position& where) {
    for (const std::string& network : addresses.networks) {
      if (AddressRange::parse(network).has_value()) continue;
      report(
          Severity::error, where, in_quotes(network) + " is not a network",
          R"(write "10.0.0.0/8", "2001:db8::/32" or one address, without bits after the prefix)");
    }
  }

  void review_role(const RuleConfig& rule, const std::string& role) {
    if (held_roles_.contains(role)) return;
    warn(rule.where, "rule " + in_quotes(rule.name) + " names the role " + in_quotes(role) +
                         ", which nobody has");
  }

  void review_method(const RuleConfig& rule, const std::string& pattern) {
    const Glob glob(pattern == "*" ? "**" : pattern);
    if (!review_form(glob, rule.where)) return;
    MethodId first = MethodId::unknown;
    for (auto id = static_cast<int>(MethodId::initialize);
         id <= static_cast<int>(MethodId::roots_list); ++id) {
      const auto method = static_cast<MethodId>(id);
      if (!glob.matches(find_method(method).name)) continue;
      if (rule.effect != Effect::permit || needs_method_rule(method)) return;
      // For `tools/*`, the caller wants calls rather than the list.
      if (first == MethodId::unknown || find_method(method).target != TargetKind::none) {
        first = method;
      }
    }
    if (first == MethodId::unknown)
      return warn(rule.where, in_quotes(pattern) + " matches no method");
    warn(rule.where, "rule " + in_quotes(rule.name) + " permits nothing: " + why_not(first),
         hint_for(first), witness_of(config_, rule));
  }

  static std::string why_not(MethodId method) {
    const std::string name = in_quotes(find_method(method).name);
    switch (find_method(method).target) {
      case TargetKind::tool:
        return name + " is judged by \"tools\"";
      case TargetKind::prompt:
        return name + " is judged by \"prompts\"";
      case TargetKind::resource:
        return name + " is judged by \"resources\"";
      case TargetKind::none:
        break;
    }
    return name + " needs no rule with \"methods\"";
  }

  static std::string hint_for(MethodId method) {
    const bool is_tool = find_method(method).target == TargetKind::tool;
    return is_tool ? R"(write tools = ["SERVER/*"] in place of "methods")" : std::string();
  }

  /// Whether the pattern means what it seems to mean.
  bool review_form(const Glob& glob, const Position& where) {
    if (glob.is_well_formed()) return true;
    report(Severity::error, where, in_quotes(glob.pattern()) + " has ** inside a segment",
           "** stands only for all that follows the last /");
    return false;
  }

  void review_pattern(const std::string& pattern, const Position& where) {
    const Glob glob(pattern);
    if (!review_form(glob, where)) return;
    const std::size_t slash = pattern.find('/');
    if (!names_any_server(pattern, slash)) {
      report(Severity::error, where, in_quotes(pattern) + " names no server",
             "patterns are server/name");
    } else if (slash == std::string::npos && pattern != "**") {
      report(Severity::error, where, in_quotes(pattern) + " names a server and nothing of it",
             "did you mean " + in_quotes(pattern + "/*") + "?");
    }
  }

  bool names_any_server(const std::string& pattern, std::size_t slash) const {
    const Glob server(pattern.substr(0, slash));
    if (pattern == "**" || config_.servers.contains(server.pattern())) return true;
    return !server.is_literal() && std::ranges::any_of(config_.servers, [&](const auto& entry) {
      return server.matches(entry.first);
    });
  }

  void review_profile(const ToolProfile& profile) {
    review_pattern(profile.pattern, profile.where);
    if (!asks_for_anything(profile)) {
      warn(profile.where, "the profile " + in_quotes(profile.pattern) + " asks for nothing");
    }
    if (profile.untranslatable_patterns == ToolProfile::UntranslatablePatterns::accept) {
      warn(profile.where, "patterns of " + in_quotes(profile.pattern) +
                              " that RE2 cannot express are not enforced");
    }
    for (const std::string& permission : profile.permissions) {
      review_permission(profile, permission);
    }
    for (const ArgumentPredicate& predicate : profile.arguments) {
      review_predicate(predicate);
      if (is_absent(predicate)) review_absent(profile, predicate);
    }
  }

  static bool asks_for_anything(const ToolProfile& profile) {
    return !profile.permissions.empty() || !profile.categories.empty() || profile.risk ||
           profile.reversibility || !profile.listed || profile.timeout || profile.cost ||
           !profile.labels.empty() || profile.max_result || profile.max_entries ||
           profile.max_blocks || profile.max_depth || !profile.arguments.empty() ||
           !profile.schema.empty() || !profile.renames.empty() ||
           profile.additional_properties != ToolProfile::AdditionalProperties::by_schema ||
           profile.formats != ToolProfile::Formats::annotate ||
           profile.untranslatable_patterns != ToolProfile::UntranslatablePatterns::quarantine;
  }

  void review_permission(const ToolProfile& profile, const std::string& permission) {
    const bool is_given = std::ranges::any_of(config_.roles, [&](const auto& entry) {
      return std::ranges::any_of(entry.second.permissions, [&](const std::string& grant) {
        return grants_permission(grant, permission);
      });
    });
    if (is_given) return;
    warn(profile.where,
         "the permission " + in_quotes(permission) + " is held by no role, so " +
             in_quotes(profile.pattern) + " is refused to everyone",
         {}, witness_of(config_, profile.pattern));
  }

  void review_predicate(const ArgumentPredicate& predicate) {
    if (!predicate.pointer.starts_with('/')) {
      report(Severity::error, predicate.where,
             in_quotes(predicate.pointer) + " is not a pointer into the arguments",
             "a pointer begins with /");
    }
    const std::string path(path_name(predicate.predicate));
    const bool is_asked =
        !path.empty() || std::holds_alternative<PathPredicate>(predicate.predicate);
    if (is_asked && !config_.paths.contains(path)) {
      report(Severity::error, predicate.where, "no [path." + path + "] is defined");
    }
  }

  static bool is_absent(const ArgumentPredicate& predicate) {
    return std::holds_alternative<AbsentPredicate>(predicate.predicate);
  }

  /// One profile requires an argument to be absent, another one to be present: no call can satisfy
  /// both.
  void review_absent(const ToolProfile& profile, const ArgumentPredicate& absent) {
    const Glob ours(profile.pattern);
    for (const ToolProfile& other : config_.tools) {
      const Glob theirs(other.pattern);
      const bool meets = ours.covers(theirs) || theirs.covers(ours);
      const auto demands = [&absent](const ArgumentPredicate& asked) {
        return asked.pointer == absent.pointer && !asked.optional && !is_absent(asked);
      };
      if (!meets || std::ranges::none_of(other.arguments, demands)) continue;
      warn(absent.where,
           in_quotes(absent.pointer) + " must be absent under " + in_quotes(profile.pattern) +
               " and present under " + in_quotes(other.pattern) + ", so every call is refused",
           {}, witness_of(config_, profile.pattern));
    }
  }

  void review_limits() {
    if (config_.limits.size() > kDrawsMax) {
      report(Severity::error, config_.limits.begin()->second.where,
             "more than " + std::to_string(kDrawsMax) + " limits");
    }
    for (const auto& [name, limit] : config_.limits) {
      for (const std::string& pattern : limit.tools) {
        review_pattern(pattern, limit.where);
      }
      for (const std::string& pattern : limit.except_tools) {
        review_pattern(pattern, limit.where);
      }
      if (limit.rates.empty() && !limit.concurrency && !limit.loop) {
        warn(limit.where, "the limit " + in_quotes(name) + " limits nothing");
      }
      review_budgets(limit);
    }
  }

  /// A call that costs more than a full window never passes.
  void review_budgets(const LimitConfig& limit) {
    for (const ToolProfile& profile : config_.tools) {
      if (!profile.cost || !counts(limit, profile.pattern)) continue;
      for (const Rate& rate : limit.rates) {
        if (rate.unit != LimitUnit::cost || rate.count >= *profile.cost) continue;
        warn(profile.where,
             "a call of " + in_quotes(profile.pattern) + " costs " + std::to_string(*profile.cost) +
                 ", and the limit " + in_quotes(limit.name) + " never has more than " +
                 std::to_string(rate.count) + ", so every call is refused",
             {}, witness_of(config_, profile.pattern));
      }
    }
  }

  /// Whether the limit surely counts all tools of that pattern.
  static bool counts(const LimitConfig& limit, const std::string& tools) {
    const auto covers = [&](const std::string& pattern) {
      return Glob(pattern).covers(Glob(tools));
    };
    const auto meets = [&](const std::string& pattern) {
      return covers(pattern) || Glob(tools).covers(Glob(pattern));
    };
    return (limit.tools.empty() || std::ranges::any_of(limit.tools, covers)) &&
           std::ranges::none_of(limit.except_tools, meets);
  }

  /// A path that no predicate names has no effect, though it seems so. If it has the same root as a
  /// used path, it may be meant by that one's `like`.
  void review_unused_paths() {
    std::set<std::string_view> roots;
    for (const ArgumentPredicate* predicate : predicates_of(config_)) {
      const auto path = config_.paths.find(path_name(predicate->predicate));
      if (path != config_.paths.end()) roots.insert(path->second.root);
    }
    for (const auto& [name, path] : config_.paths) {
      if (roots.contains(path.root)) continue;
      warn(path.where, "[path." + name + "] guards nothing: no [tool.…] and no rule names it",
           R"(write [tool."SERVER/*".arguments] "/path" = { path = ")" + name + R"(" })");
    }
  }

  /// For a role in a rule, the rule's own problem reports that nobody has it.
  void review_unused_roles() {
    std::set<std::string_view> used = held_roles_;
    for (const auto& [name, rule] : config_.rules)
      used.insert(rule.roles.begin(), rule.roles.end());
    for (const auto& [name, role] : config_.roles) {
      if (!used.contains(name)) warn(role.where, "nobody has the role " + in_quotes(name));
    }
  }

  const Config& config_;
  std::set<std::string_view> held_roles_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_policy_problems(const Config& config, const KnownNames& names) {
  std::vector<ConfigProblem> problems = Review(config).run();
  std::ranges::move(find_covered_rules(config), std::back_inserter(problems));
  std::ranges::move(find_approval_problems(config), std::back_inserter(problems));
  std::ranges::move(find_rename_problems(config), std::back_inserter(problems));
  std::ranges::move(find_rewrite_problems(config), std::back_inserter(problems));
  std::ranges::move(find_path_problems(config, names), std::back_inserter(problems));
  std::ranges::move(find_url_problems(config), std::back_inserter(problems));
  std::ranges::move(find_sql_problems(config), std::back_inserter(problems));
  std::ranges::move(find_command_problems(config), std::back_inserter(problems));
  std::ranges::move(find_redaction_problems(config), std::back_inserter(problems));
  std::ranges::move(find_sanitising_problems(config), std::back_inserter(problems));
  std::ranges::move(find_unknown_names(config, names), std::back_inserter(problems));
  return problems;
}

}  // namespace bartizan
