#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/load/call_json.h"
#include "config/problems.h"
#include "policy/access/rule_set.h"
#include "policy/check/check_permission.h"
#include "policy/check/compile_policy.h"
#include "policy/check/tool_profiles.h"
#include "policy/review/example_call.h"
#include "policy/review/sent_tools.h"
#include "policy/text/match.h"
#include "policy/verdict/principal.h"
#include "schemas/json/json_text.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {
namespace {

constexpr std::size_t kShownPointersMax = 5;

bool is_conditional(const RuleConfig& rule) {
  return !rule.when.empty() || !rule.unless.empty();
}

/// Whether a condition holds for every possible call.
struct AlwaysTrue {
  bool operator()(const TransportCondition& asked) const { return asked.transports.size() > 1; }
  bool operator()(const RevisionCondition& asked) const {
    return asked.versions.size() >= kProtocolVersions.size();
  }
  bool operator()(const ServerTrustCondition& asked) const {
    return asked.trusts.size() >= kTrustNames.size();
  }
  bool operator()(const TimeCondition& asked) const {
    const TimeCondition always;
    return asked.days == always.days && asked.from == asked.to % always.to;
  }
  /// A client on standard input has no address, so the condition is undecidable.
  bool operator()(const AddressCondition&) const { return false; }
  /// It has no endpoint either.
  bool operator()(const EndpointCondition&) const { return false; }
  bool operator()(const MethodCondition&) const { return false; }
  /// The class of a tool may be unknown.
  bool operator()(const RiskCondition&) const { return false; }
  bool operator()(const ReversibilityCondition&) const { return false; }
  bool operator()(const HintCondition&) const { return false; }
};

class Review {
 public:
  Review(const Config& config, const KnownTools& tools)
      : config_(config),
        tools_(tools),
        profiles_(config, {}),
        principals_(make_principals(config)) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& [name, rule] : config_.rules) {
      review_conditions(rule);
      if (rule.effect == Effect::permit) review_permit(rule);
    }
    config_.policy.allow_unguarded_arguments ? review_open_arguments()
                                             : review_required_arguments();
    return std::move(problems_);
  }

 private:
  void warn(const Position& where, std::string message, const DescribedCall& example,
            std::string hint = {}) {
    problems_.push_back({.severity = ConfigProblem::Severity::warning,
                         .where = text(config_, where),
                         .message = std::move(message),
                         .hint = std::move(hint),
                         .example = call_json(example)});
  }

  /// The known tools of a rule, as `server/tool`.
  std::vector<std::pair<std::string, const ToolDefinition*>> tools_of(
      const RuleConfig& rule) const {
    std::vector<std::pair<std::string, const ToolDefinition*>> found;
    if (rule.target != RuleTarget::tools) return found;
    for (const auto& [server, tools] : tools_) {
      for (const ToolDefinition* tool : tools) {
        const std::string name = server + "/" + tool->name;
        const bool is_named = std::ranges::any_of(
            rule.patterns, [&](const std::string& pattern) { return Glob(pattern).matches(name); });
        if (is_named) found.emplace_back(name, tool);
      }
    }
    return found;
  }

  std::vector<const Principal*> principals_of(const RuleConfig& rule) const {
    std::vector<const Principal*> found;
    for (const auto& [id, principal] : principals_) {
      const bool is_named = std::ranges::find(rule.principals, id) != rule.principals.end();
      const bool has_role = std::ranges::any_of(principal.roles, [&](const std::string& role) {
        return std::ranges::find(rule.roles, role) != rule.roles.end();
      });
      if (is_named || has_role || names_everyone(rule)) found.push_back(&principal);
    }
    return found;
  }

  DescribedCall example(const RuleConfig& rule) const { return witness_of(config_, rule, names_); }

  /// A refusing rule still refuses if its conditions are undecidable.
  static std::string never_text(const RuleConfig& rule) {
    const bool is_permit = rule.effect == Effect::permit;
    return "rule " + quote(rule.name) +
           (is_permit ? " never permits" : " matches only what cannot be decided");
  }

  void review_conditions(const RuleConfig& rule) {
    for (const FactCondition& condition : rule.when.facts) {
      if (std::visit(AlwaysTrue(), condition.fact))
        warn(condition.where, "a condition of rule " + quote(rule.name) + " is always true",
             example(rule));
    }
    for (const FactCondition& condition : rule.unless.facts) {
      // A condition that is always true has no effect beside others.
      if (!std::visit(AlwaysTrue(), condition.fact)) continue;
      const bool is_alone = rule.unless.facts.size() == 1 && rule.unless.arguments.empty();
      warn(condition.where,
           is_alone ? never_text(rule) + ": its \"unless\" is always true"
                    : "a condition of rule " + quote(rule.name) + " is always true",
           example(rule));
    }
    if (is_contradiction(rule)) {
      warn(rule.unless.where, never_text(rule) + ": its \"when\" wants what \"unless\" excepts",
           example(rule));
    }
  }

  /// Whether `unless` has only conditions that `when` requires as well.
  static bool is_contradiction(const RuleConfig& rule) {
    const auto wants = [&](const ArgumentPredicate& excepted) {
      return std::ranges::any_of(rule.when.arguments, [&](const ArgumentPredicate& wanted) {
        return wanted.pointer == excepted.pointer && wanted.predicate == excepted.predicate;
      });
    };
    const auto wants_fact = [&](const FactCondition& excepted) {
      return std::ranges::any_of(rule.when.facts, [&](const FactCondition& wanted) {
        return wanted.fact == excepted.fact;
      });
    };
    return !rule.unless.empty() && std::ranges::all_of(rule.unless.arguments, wants) &&
           std::ranges::all_of(rule.unless.facts, wants_fact);
  }

  void review_permit(const RuleConfig& rule) {
    const bool is_everything = rule.target == RuleTarget::tools &&
                               std::ranges::any_of(rule.patterns, [](const std::string& pattern) {
                                 return pattern == "**" || pattern == "*/*" || pattern == "*/**";
                               });
    if (is_everything && names_everyone(rule) && !is_conditional(rule)) {
      warn(rule.where, "rule " + quote(rule.name) + " permits every tool to everyone",
           example(rule),
           "name the roles and the servers, such as roles = [\"analyst\"], tools = [\"files/*\"]");
    }
    review_permissions(rule);
  }

  /// Reports tools that a rule permits, if none of its callers has their permissions.
  void review_permissions(const RuleConfig& rule) {
    const std::vector<const Principal*> callers = principals_of(rule);
    if (callers.empty()) return;
    std::set<std::string> told;
    for (const auto& [name, tool] : tools_of(rule)) {
      const std::string server = name.substr(0, name.find('/'));
      const bool is_usable = std::ranges::any_of(callers, [&](const Principal* caller) {
        return holds_permissions(profiles_, *caller, server, tool->name);
      });
      if (is_usable) continue;
      std::string permissions;
      for (const std::string& permission : profiles_.find(server, tool->name)->permissions)
        permissions += (permissions.empty() ? "" : ", ") + quote(permission);
      if (!told.insert(permissions).second) continue;
      warn(rule.where,
           "rule " + quote(rule.name) + " permits " + quote(name) +
               ", and nobody whom it names has all of its permissions: " + permissions,
           {.principal = callers.front()->id,
            .target_kind = TargetKind::tool,
            .server = server,
            .target = tool->name,
            .method = "tools/call"});
    }
  }

  /// With `unguarded_arguments = "allow"`, arguments without a predicate are not checked.
  void review_open_arguments() {
    for (const auto& [server, tools] : tools_) {
      for (const ToolDefinition* tool : tools) {
        const auto profile = profiles_.find(server, tool->name);
        const JsonSchema* schema =
            tool->schemas == nullptr
                ? nullptr
                : tool->schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
        if (profile->guards.empty() || schema == nullptr) continue;
        std::vector<std::string> open = open_pointers(server + "/" + tool->name, *schema);
        if (open.empty()) continue;
        if (open.size() > kShownPointersMax) open.resize(kShownPointersMax);
        std::string listed_open;
        for (const std::string& pointer : open)
          listed_open += (listed_open.empty() ? "" : ", ") + quote(pointer);
        warn(config_.policy.where,
             "no predicate names " + listed_open + " of " + quote(server + "/" + tool->name) +
                 ", which unguarded_arguments = \"allow\" leaves open",
             with_arguments(witness_of(config_, server + "/" + tool->name, "", names_),
                            {{open.front(), "\"x\""}}));
      }
    }
  }

  /// A tool whose schema requires an argument without a predicate is listed, but each call of it is
  /// refused.
  void review_required_arguments() {
    for (const auto& [server, tools] : tools_) {
      for (const ToolDefinition* tool : tools) {
        const std::string name = server + "/" + tool->name;
        const JsonSchema* schema =
            tool->schemas == nullptr
                ? nullptr
                : tool->schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
        if (schema == nullptr || !is_permitted(name)) continue;
        if (profiles_.find(server, tool->name)->guards.empty()) continue;
        const std::vector<std::string> open = open_pointers(name, *schema);
        for (const std::string& pointer : required_of(*tool)) {
          if (std::ranges::find(open, pointer) == open.end()) continue;
          warn(guard_place(name),
               "every call of " + quote(name) + " is refused: its schema requires " +
                   quote(pointer) + ", which no predicate names",
               with_arguments(witness_of(config_, name, "", names_), {{pointer, "\"x\""}}),
               "write a predicate for it, or [policy] unguarded_arguments = \"allow\"");
        }
      }
    }
  }

  /// Whether a rule permits a tool, and none forbids it to everyone. A forbidden tool is not a
  /// mistake.
  bool is_permitted(const std::string& name) const {
    bool has_permit = false;
    for (const auto& [rule_name, rule] : config_.rules) {
      const bool is_about = rule.target == RuleTarget::tools &&
                            std::ranges::any_of(rule.patterns, [&](const std::string& pattern) {
                              return Glob(pattern).matches(name);
                            });
      if (!is_about) continue;
      const bool is_for_all = std::ranges::find(rule.roles, "*") != rule.roles.end();
      if (rule.effect == Effect::forbid && is_for_all) return false;
      has_permit = has_permit || rule.effect != Effect::forbid;
    }
    return has_permit;
  }

  /// Pointers to the members that the input schema of a definition requires.
  static std::vector<std::string> required_of(const ToolDefinition& tool) {
    std::vector<std::string> pointers;
    const Bytes bytes{std::string_view(tool.raw)};
    JsonDocument document;
    const auto entry = document.read(bytes, kResponseLimits);
    if (!entry.has_value()) return pointers;
    for (const JsonValue name : entry->at_pointer("/inputSchema/required"))
      pointers.push_back(pointer_below("", name.text()));
    return pointers;
  }

  /// The place of the first profile with a predicate on an argument of the tool.
  Position guard_place(const std::string& name) const {
    for (const ToolProfile& profile : config_.tools) {
      if (!profile.arguments.empty() && Glob(profile.pattern).matches(name)) return profile.where;
    }
    return config_.policy.where;
  }

  /// Arguments in a schema without a predicate on them or below them.
  std::vector<std::string> open_pointers(const std::string& name, const JsonSchema& schema) const {
    std::set<std::string_view> guarded;
    for (const ToolProfile& profile : config_.tools) {
      if (!Glob(profile.pattern).matches(name)) continue;
      for (const ArgumentPredicate& argument : profile.arguments)
        guarded.insert(argument.pointer);
    }
    std::vector<std::string> open;
    for (const std::string& pointer : schema.named_pointers()) {
      const bool is_named = std::ranges::any_of(guarded, [&](std::string_view one) {
        return one == pointer || one.starts_with(pointer + "/");
      });
      if (!is_named) open.push_back(pointer);
    }
    return open;
  }

  const Config& config_;
  const KnownTools& tools_;
  KnownNames names_ = names_of(tools_);
  ToolProfiles profiles_;
  std::map<std::string, Principal, std::less<>> principals_;
  std::vector<ConfigProblem> problems_;
};

}  // namespace

std::vector<ConfigProblem> find_rule_problems(const Config& config, const KnownTools& tools) {
  const SentTools sent(config, tools);
  return Review(config, sent.tools()).run();
}

}  // namespace bartizan
