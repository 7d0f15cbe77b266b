#include "policy/explain/trace_call.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policy/check/check_arguments.h"
#include "policy/check/check_permission.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

bool is_tool_call(const Call& call) {
  return call.message.known->id == MethodId::tools_call;
}

std::vector<PermissionAnswer> ask_permissions(const Policy& policy, const Call& call) {
  std::vector<PermissionAnswer> answers;
  if (!is_tool_call(call) || call.principal == nullptr) return answers;
  const ToolProfiles::Found profile = policy.profiles().find(call);
  for (const std::string& permission : profile->permissions)
    answers.push_back({permission, holds_permission(*call.principal, permission)});
  return answers;
}

/// The decision about a call if a profile had only that predicate, and there were no other
/// profiles.
Decision ask_predicate(const Config& config, const ToolProfile& profile,
                       const ArgumentPredicate& predicate, const Call& call) {
  Config one;
  one.paths = config.paths;
  // Whether a tool may write affects the names that it may be given.
  const auto pinned = config.pins.tools.find(call.server);
  if (pinned != config.pins.tools.end()) one.pins.tools.insert(*pinned);
  one.tools.push_back({.pattern = profile.pattern, .arguments = {predicate}});
  return check_arguments(ToolProfiles(one, {}), config.servers, Unguarded::allow, call);
}

std::vector<PredicateAnswer> ask_predicates(const Config& config, const Call& call) {
  std::vector<PredicateAnswer> answers;
  if (!is_tool_call(call)) return answers;
  const std::string name = std::string(call.server) + "/" + std::string(call.target);
  for (const ToolProfile& profile : config.tools) {
    if (!Glob(profile.pattern).matches(name)) continue;
    for (const ArgumentPredicate& predicate : profile.arguments) {
      answers.push_back({&profile, &predicate, ask_predicate(config, profile, predicate, call)});
    }
  }
  return answers;
}

UnguardedAnswer answer_unguarded(const Config& config, const Policy& policy, const Call& call) {
  if (!guards_values(policy.profiles(), call)) return UnguardedAnswer::unasked;
  return config.policy.allow_unguarded_arguments ? UnguardedAnswer::allowed
                                                 : UnguardedAnswer::refused;
}

/// Each name once: a limit with many windows has several entries in the table of limits.
std::vector<std::string> charged_limits(const Policy& policy, const Call& call) {
  std::vector<std::string> names;
  for (const LimitSet::Draw& draw : policy.limits().draws(call, {})) {
    const std::string& name = policy.limits().limits()[draw.limit].name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> find_missing_facts(const std::vector<RuleAnswer>& rules) {
  std::set<std::string> missing;
  const auto add = [&missing](const std::vector<EntryAnswer>& entries) {
    for (const EntryAnswer& entry : entries) {
      const bool is_fact = !entry.entry.starts_with('/');
      if (is_fact && entry.answer == TriState::undecidable) missing.insert(entry.entry);
    }
  };
  for (const RuleAnswer& rule : rules) {
    add(rule.when);
    add(rule.unless);
  }
  return {missing.begin(), missing.end()};
}

}  // namespace

CallTrace trace_call(const Config& config, const Policy& policy, const Call& call) {
  CallTrace trace{.checks = policy.answers(call),
                  .rules = RuleTracer(config).answers(call),
                  .permissions = ask_permissions(policy, call),
                  .predicates = ask_predicates(config, call),
                  .limits = charged_limits(policy, call)};
  if (is_tool_call(call)) {
    trace.unguarded = find_unguarded(policy.profiles(), call);
    trace.unguarded_answer = answer_unguarded(config, policy, call);
  }
  trace.missing_facts = find_missing_facts(trace.rules);
  for (const FactQuery& question : policy.questions(call))
    trace.missing_facts.push_back(text(question));
  return trace;
}

}  // namespace bartizan
