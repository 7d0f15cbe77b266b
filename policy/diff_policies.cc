#include "policy/diff_policies.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "policy/assume_facts.h"
#include "policy/case_call.h"
#include "policy/compile_policy.h"
#include "policy/diff_targets.h"
#include "policy/edge_values.h"
#include "policy/match.h"
#include "policy/pinned_definitions.h"
#include "policy/rule_set.h"

namespace bartizan {
namespace {

/// Calls that are tried for one caller and target.
constexpr std::size_t kTriesMax = 3000;

/// Values by pointer, and by the names of facts: what one call is made of. What is not there, the
/// call has not.
using Assignment = std::map<std::string, std::string>;
/// All values that are worth a try, likewise.
using Edges = std::map<std::string, std::vector<std::string>>;

/// Somebody who calls.
struct Caller {
  std::string role = {};
  std::string principal = {};
};

struct Answer {
  bool is_permit = false;
  Reason reason = Reason::none;
  std::string check = {};
  std::string rule = {};
  std::string pointer = {};
};

/// One of the two, ready to judge.
class Side {
 public:
  Side(const Config& config, const std::vector<PolicyCase>& callers)
      : config_(with_callers(config, callers)), policy_(compile_policy(config_, {})) {}

  const Config& config() const { return config_; }

  /// What is to be found out of the world outside before it can judge.
  std::vector<Question> questions(const DescribedCall& described, const ToolDefinition* definition,
                                  std::int64_t now) const {
    const auto made = CaseCall::make(described, *policy_, definition, now);
    return made.has_value() ? policy_->questions((*made)->call()) : std::vector<Question>();
  }

  /// Nothing where the policy does not know the caller, who then may nothing.
  Answer judge(const DescribedCall& described, const ToolDefinition* definition,
               std::int64_t now) const {
    const auto made = CaseCall::make(described, *policy_, definition, now);
    if (!made.has_value()) return {.reason = Reason::principal_unknown};
    const Verdict verdict = policy_->judge((*made)->call());
    const auto* denial = std::get_if<Denial>(&verdict);
    if (denial == nullptr) return {.is_permit = true};
    return {.reason = denial->decision.reason,
            .check = std::string(denial->check),
            .rule = std::string(denial->decision.rule_name()),
            .pointer = denial->decision.pointer};
  }

 private:
  Config config_;
  std::shared_ptr<const Policy> policy_;
};

/// Callers by roles, as `with_callers` makes principals of them.
std::vector<PolicyCase> cases_of_roles(const Config& older, const Config& newer, const Config& of) {
  std::vector<PolicyCase> cases;
  for (const Config* config : {&older, &newer}) {
    for (const auto& [name, role] : config->roles) {
      if (!of.roles.contains(name)) continue;
      cases.push_back({.call = {.roles = {name}}});
    }
  }
  return cases;
}

class Diff {
 public:
  Diff(const Config& older, const Config& newer, std::int64_t now)
      : older_(older, cases_of_roles(older, newer, older)),
        newer_(newer, cases_of_roles(older, newer, newer)),
        pinned_older_(older),
        pinned_newer_(newer),
        now_(now) {}

  PolicyDiff run() && {
    const std::set<DiffTarget> targets = find_diff_targets(older(), newer());
    for (const Caller& caller : find_callers()) {
      for (const DiffTarget& target : targets)
        compare(caller, target);
    }
    diff_.changes = std::move(gained_);
    diff_.changes.insert(diff_.changes.end(), lost_.begin(), lost_.end());
    return std::move(diff_);
  }

 private:
  const Config& older() const { return older_.config(); }
  const Config& newer() const { return newer_.config(); }

  std::vector<Caller> find_callers() const {
    std::set<std::string> roles;
    std::set<std::string> principals;
    for (const Config* config : {&older(), &newer()}) {
      for (const auto& [name, role] : config->roles)
        roles.insert(name);
      for (const auto& [name, rule] : config->rules)
        principals.insert(rule.principals.begin(), rule.principals.end());
      for (const auto& [id, principal] : config->principals) {
        // One with a single role may what that role may; those of roles have names of their own.
        if (principal.roles.size() != 1 && !id.contains(' ')) principals.insert(id);
      }
    }
    principals.erase("*");
    add_changed_principals(principals);
    std::vector<Caller> callers;
    for (const std::string& role : roles)
      callers.push_back({.role = role});
    for (const std::string& principal : principals)
      callers.push_back({.principal = principal});
    return callers;
  }

  /// Whoever has other roles than before, or is new, or was removed.
  void add_changed_principals(std::set<std::string>& principals) const {
    const auto add = [&](const Config& one, const Config& other) {
      for (const auto& [id, principal] : one.principals) {
        if (id.contains(' ')) continue;
        const auto found = other.principals.find(id);
        if (found == other.principals.end() || found->second.roles != principal.roles)
          principals.insert(id);
      }
    };
    add(older(), newer());
    add(newer(), older());
  }

  /// The definition that both are asked with: as it is approved now, or as it was.
  const ToolDefinition* definition_of(const DiffTarget& target, const DescribedCall& call) {
    if (target.kind != TargetKind::tool) return nullptr;
    const bool is_approved = pinned_newer_.find(target.server, target.name) != nullptr;
    const ToolDefinition* former =
        is_approved ? nullptr : pinned_older_.find(target.server, target.name);
    return former != nullptr ? former : assumed_.find(call);
  }

  void add_edges(const Config& config, const ArgumentPredicate& argument, Edges& edges) const {
    std::vector<std::string>& values = edges[argument.pointer];
    for (std::string& value : edge_values(config, argument.predicate)) {
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    }
    for (auto& [fact, answers] : outside_edges(config, argument.predicate)) {
      for (std::string& answer : answers) {
        std::vector<std::string>& known = edges[fact];
        if (std::ranges::find(known, answer) == known.end()) known.push_back(std::move(answer));
      }
    }
  }

  /// The call with answers to what either policy asks, of which some lead to more questions.
  DescribedCall answered(DescribedCall call, const ToolDefinition* definition,
                         const Assignment& values) const {
    const bool has_answers =
        std::ranges::any_of(values, [](const auto& value) { return is_outside_fact(value.first); });
    std::size_t known = 0;
    for (bool is_open = has_answers; is_open;) {
      for (const Side* side : {&older_, &newer_}) {
        for (const Question& question : side->questions(call, definition, now_))
          call.facts = with_answer(std::move(call.facts), question, values);
      }
      const DescribedFacts& facts = call.facts;
      const std::size_t now_known =
          facts.places.size() + facts.contents.size() + facts.addresses.size();
      is_open = std::exchange(known, now_known) != now_known;
    }
    return call;
  }

  void add_fact(const FactCondition& condition, Edges& edges) const {
    const auto add = [&edges](const std::string& fact, std::string value) {
      std::vector<std::string>& values = edges[fact];
      if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
    };
    if (std::holds_alternative<TransportCondition>(condition.fact)) {
      add("transport", "http");
      add("transport", "stdio");
    }
    if (const auto* address = std::get_if<AddressCondition>(&condition.fact)) {
      for (const std::string& network : address->networks)
        add("client_address", network.substr(0, network.find('/')));
      add("client_address", "198.51.100.7");
    }
    if (const auto* revision = std::get_if<RevisionCondition>(&condition.fact)) {
      for (const ProtocolVersion version : revision->versions)
        add("revision", std::string(text(version)));
    }
    if (std::holds_alternative<TimeCondition>(condition.fact)) {
      // Each hour of a week, a minute past.
      for (std::int64_t hour = 0; hour < 7 * 24; ++hour)
        add("time", std::to_string(now_ - now_ % 3600 + 60 + hour * 3600));
    }
  }

  void add_edges_of(const Config& config, const DiffTarget& target, Edges& edges) const {
    const std::string whole = target.server + "/" + target.name;
    for (const ToolProfile& profile : config.tools) {
      if (target.kind != TargetKind::tool || !Glob(profile.pattern).matches(whole)) continue;
      for (const ArgumentPredicate& argument : profile.arguments)
        add_edges(config, argument, edges);
    }
    for (const auto& [name, rule] : config.rules) {
      const bool is_about =
          rule.target == RuleTarget::methods ||
          std::ranges::any_of(rule.patterns, [&](const std::string& pattern) {
            return target_kind(rule.target) == target.kind && Glob(pattern).matches(whole);
          });
      if (!is_about) continue;
      for (const RuleConditions* conditions : {&rule.when, &rule.unless}) {
        for (const ArgumentPredicate& argument : conditions->arguments)
          add_edges(config, argument, edges);
        for (const FactCondition& condition : conditions->facts)
          add_fact(condition, edges);
      }
      if (rule.expires.has_value()) {
        edges["time"].push_back(std::to_string(*rule.expires - 1));
        edges["time"].push_back(std::to_string(*rule.expires));
      }
    }
  }

  static std::optional<DescribedCall> describe(const Caller& caller, const DiffTarget& target,
                                               const Assignment& values) {
    DescribedCall call{.principal = caller.principal,
                       .target_kind = target.kind,
                       .server = target.server,
                       .target = target.kind == TargetKind::none ? "" : target.name,
                       .method = target.kind == TargetKind::none
                                     ? target.name
                                     : std::string(method_of(target.kind))};
    if (caller.principal.empty()) call.roles = {caller.role};
    Assignment arguments;
    for (const auto& [name, value] : values) {
      if (name.starts_with('/')) arguments.emplace(name, value);
      if (name == "transport")
        call.facts.transport = value == "http" ? Transport::http : Transport::stdio;
      if (name == "client_address") call.facts.client_address = value;
      if (name == "revision") call.facts.revision = parse_protocol_version(value);
      if (name == "time") call.facts.time = std::stoll(value);
    }
    if (target.kind == TargetKind::tool) {
      call.arguments = arguments_with(arguments);
      if (call.arguments.empty()) return std::nullopt;
    }
    return call;
  }

  /// What was found for one caller and target.
  struct Found {
    std::optional<PolicyChange> gained = {}, lost = {};
    bool has_old = false, has_new = false;  ///< Some call is permitted.
    bool is_settled() const { return gained.has_value() && lost.has_value(); }
  };

  static void note(const Caller& caller, const DiffTarget& target, const DescribedCall& call,
                   const Answer& before, const Answer& after, Found& found) {
    found.has_old = found.has_old || before.is_permit;
    found.has_new = found.has_new || after.is_permit;
    if (before.is_permit == after.is_permit) return;
    const bool is_gain = after.is_permit;
    auto& kept = is_gain ? found.gained : found.lost;
    if (kept.has_value()) return;  // The first has the fewest values that differ.
    const Answer& refusal = is_gain ? before : after;
    kept = PolicyChange{.kind = is_gain ? PolicyChange::Kind::gained : PolicyChange::Kind::lost,
                        .role = caller.role,
                        .principal = caller.principal,
                        .what = target.label,
                        .pointer = refusal.pointer,
                        .witness = call,
                        .reason = refusal.reason,
                        .check = refusal.check,
                        .rule = refusal.rule};
  }

  /// Begins with no values and with the likeliest, and goes on from whatever either permits, one
  /// value at a time; from what both refuse only where the refusal points.
  void compare(const Caller& caller, const DiffTarget& target) {
    Edges edges;
    add_edges_of(older(), target, edges);
    add_edges_of(newer(), target, edges);
    Assignment likeliest;
    for (const auto& [name, values] : edges) {
      if (!values.empty()) likeliest.emplace(name, values.front());
    }
    std::deque<Assignment> waiting{{}, std::move(likeliest)};
    std::set<Assignment> seen(waiting.begin(), waiting.end());
    Found found;
    std::size_t tries = 0;
    for (; !waiting.empty() && tries < kTriesMax; ++tries) {
      const Assignment values = std::move(waiting.front());
      waiting.pop_front();
      auto call = describe(caller, target, values);
      if (!call.has_value()) continue;
      const ToolDefinition* definition = definition_of(target, *call);
      call = answered(*std::move(call), definition, values);
      const Answer before = older_.judge(*call, definition, now_);
      const Answer after = newer_.judge(*call, definition, now_);
      note(caller, target, *call, before, after, found);
      // What is found in both directions was permitted before, and is.
      if (found.is_settled()) break;
      for (const auto& [name, candidates] : edges) {
        const bool is_dead = !before.is_permit && !after.is_permit;
        if (is_dead && !is_pointed_at(name, before) && !is_pointed_at(name, after)) continue;
        for (const std::string& candidate : candidates) {
          Assignment next = values;
          next[name] = candidate;
          if (seen.insert(next).second) waiting.push_back(std::move(next));
        }
        Assignment without = values;
        if (without.erase(name) > 0 && seen.insert(without).second)
          waiting.push_back(std::move(without));
      }
    }
    if (!waiting.empty() && tries >= kTriesMax) diff_.unfinished.push_back(target.label);
    finish(found);
  }

  /// Whether another value of that name may change a refusal: the one that it points at, or any
  /// where rules refuse, which may ask for it.
  static bool is_pointed_at(const std::string& name, const Answer& refusal) {
    if (refusal.pointer.empty()) return refusal.check == "access";
    if (is_outside_fact(name)) return refusal.check == "arguments";
    const std::size_t wildcard = name.find('*');
    return name == refusal.pointer || refusal.pointer.starts_with(name + "/") ||
           name.starts_with(refusal.pointer + "/") ||
           (wildcard != std::string::npos && refusal.pointer.starts_with(name.substr(0, wildcard)));
  }

  void finish(Found& found) {
    if (found.gained.has_value()) {
      found.gained->is_whole = !found.has_old;
      add(*std::move(found.gained));
    }
    if (found.lost.has_value()) {
      found.lost->is_whole = !found.has_new;
      add(*std::move(found.lost));
    }
  }

  /// What one of a principal's roles gains or loses is told once, of the role.
  void add(PolicyChange change) {
    auto& changes = change.kind == PolicyChange::Kind::gained ? gained_ : lost_;
    const bool is_told = std::ranges::any_of(changes, [&](const PolicyChange& told) {
      return told.what == change.what && told.is_whole == change.is_whole &&
             keeps_role(change.principal, told.role);
    });
    if (!is_told) changes.push_back(std::move(change));
  }

  /// Whether a principal has a role under both policies.
  bool keeps_role(const std::string& id, const std::string& role) const {
    return std::ranges::all_of(std::array{&older(), &newer()}, [&](const Config* config) {
      const auto found = config->principals.find(id);
      return found != config->principals.end() &&
             std::ranges::find(found->second.roles, role) != found->second.roles.end();
    });
  }

  Side older_, newer_;
  PinnedDefinitions pinned_older_, pinned_newer_;
  DescribedDefinitions none_;
  Definitions assumed_{newer_.config(), none_};
  std::int64_t now_;
  std::vector<PolicyChange> gained_, lost_;
  PolicyDiff diff_;
};

}  // namespace

PolicyDiff diff_policies(const Config& older, const Config& newer, std::int64_t now) {
  return Diff(older, newer, now).run();
}

}  // namespace bartizan
