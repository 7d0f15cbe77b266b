#include "policy/explain/open_conditions.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "policy/text/argument_pointer.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"

namespace bartizan {
namespace {

constexpr std::string_view kMethod = "tools/call";

/// Conditions with one answer for every call without a transport.
FactCondition always_true() {
  return {.fact = MethodCondition{.methods = {std::string(kMethod)}}};
}
FactCondition always_false() {
  return {.fact = MethodCondition{}};
}
FactCondition never_decided() {
  return {.fact = TransportCondition{}};
}

/// Whether a fact differs from call to call.
struct Varies {
  bool operator()(const TransportCondition&) const { return true; }
  bool operator()(const EndpointCondition&) const { return true; }
  bool operator()(const RevisionCondition&) const { return true; }
  bool operator()(const AddressCondition&) const { return true; }
  bool operator()(const TimeCondition&) const { return true; }
  bool operator()(const RiskCondition& asked) const { return asked.of == ClassOf::chain; }
  bool operator()(const ReversibilityCondition& asked) const { return asked.of == ClassOf::chain; }
  bool operator()(const HintCondition&) const { return false; }
  bool operator()(const MethodCondition&) const { return false; }
  bool operator()(const ServerTrustCondition&) const { return false; }
};

bool matches(const ToolProfile& profile, const AskedCalls& asked) {
  return Glob(profile.pattern).matches(QualifiedName(asked.server, asked.tool).view());
}

/// The conditions with that answer instead of each open entry.
RuleConditions settled(const RuleConditions& conditions, JsonValue given,
                       const FactCondition& answer) {
  RuleConditions settled{.where = conditions.where};
  for (const FactCondition& fact : conditions.facts)
    settled.facts.push_back(is_open(fact) ? answer : fact);
  for (const ArgumentPredicate& argument : conditions.arguments) {
    if (is_open(argument, given)) {
      settled.facts.push_back(answer);
    } else {
      settled.arguments.push_back(argument);
    }
  }
  return settled;
}

/// Open arguments count as present, since their values are not known.
void ask_only_of_given(std::vector<ToolProfile>& profiles, const AskedCalls& asked) {
  for (ToolProfile& profile : profiles) {
    if (!matches(profile, asked)) continue;
    profile.schema.clear();
    for (ArgumentPredicate& argument : profile.arguments) {
      const bool wants_nothing = std::holds_alternative<AbsentPredicate>(argument.predicate);
      if (!wants_nothing) argument.optional = true;
    }
  }
}

}  // namespace

bool is_open(const FactCondition& fact) {
  return std::visit(Varies(), fact.fact);
}

bool is_open(const ArgumentPredicate& argument, JsonValue given) {
  bool is_given = false;
  if (!given) return true;
  visit_selected(parse_pointer(argument.pointer), given,
                 [&is_given](Selection selection, JsonValue, const Place*) {
                   is_given = is_given || selection != Selection::nothing;
                   return !is_given;
                 });
  return !is_given;
}

RuleConditions open_entries(const RuleConditions& conditions, JsonValue given) {
  RuleConditions open{.where = conditions.where};
  for (const FactCondition& fact : conditions.facts) {
    if (is_open(fact)) open.facts.push_back(fact);
  }
  for (const ArgumentPredicate& argument : conditions.arguments) {
    if (is_open(argument, given)) open.arguments.push_back(argument);
  }
  return open;
}

bool is_about_calls(const RuleConfig& rule, const AskedCalls& asked) {
  const QualifiedName name(asked.server, asked.tool);
  const bool is_of_methods = rule.target == RuleTarget::methods;
  if (!is_of_methods && rule.target != RuleTarget::tools) return false;
  return std::ranges::any_of(rule.patterns, [&](const std::string& pattern) {
    return Glob(pattern).matches(is_of_methods ? kMethod : name.view());
  });
}

std::vector<OpenArgument> open_arguments(const Config& config, const AskedCalls& asked) {
  std::vector<OpenArgument> open;
  for (const ToolProfile& profile : config.tools) {
    if (!matches(profile, asked)) continue;
    for (const ArgumentPredicate& predicate : profile.arguments) {
      // A forced value holds whatever a client sends.
      if (std::holds_alternative<FixedPredicate>(predicate.predicate)) continue;
      if (is_open(predicate, asked.given)) open.push_back({&profile, &predicate});
    }
    if (!profile.schema.empty()) open.push_back({&profile, nullptr});
  }
  return open;
}

Config config_at_best(const Config& config, const AskedCalls& asked,
                      const std::set<std::string>& missing) {
  Config best = config;
  ask_only_of_given(best.tools, asked);
  for (auto& [name, rule] : best.rules) {
    const bool is_permit = rule.effect == Effect::permit;
    const RuleConditions open = open_entries(rule.when, asked.given);
    // A refusal whose `when` is false needs an `unless` that is decided, whatever it is: one that
    // holds beside an argument that cannot be judged is not.
    const bool may_miss =
        !is_permit && (!open.facts.empty() || !open.arguments.empty() || missing.contains(name));
    rule.when = settled(rule.when, asked.given, is_permit ? always_true() : always_false());
    rule.unless =
        settled(rule.unless, asked.given, is_permit || may_miss ? always_false() : always_true());
  }
  return best;
}

Config config_at_worst(const Config& config, const AskedCalls& asked) {
  Config worst = config;
  ask_only_of_given(worst.tools, asked);
  worst.policy.mode = PolicySettings::Mode::enforce;
  for (auto& [name, rule] : worst.rules) {
    rule.when = settled(rule.when, asked.given, never_decided());
    rule.unless = settled(rule.unless, asked.given, never_decided());
    if (rule.expires.has_value()) rule.expires = 0;
  }
  return worst;
}

}  // namespace bartizan
