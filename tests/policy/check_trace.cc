#include "tests/policy/check_trace.h"

#include <algorithm>
#include <string_view>

#include "policy/verdict/reason.h"

namespace bartizan {
namespace {

const Decision* find_check(const CallTrace& trace, std::string_view name) {
  const auto found = std::ranges::find(trace.checks, name, &CheckAnswer::check);
  return found == trace.checks.end() ? nullptr : &found->decision;
}

/// The first rule by name of that effect which matches. Of rules on methods only refusals count
/// for a call that has a target.
std::string_view first_match(const CallTrace& trace, Effect effect) {
  for (const RuleAnswer& answer : trace.rules) {
    const bool counts = effect != Effect::permit || answer.rule->target == RuleTarget::tools;
    const bool is_meant = answer.rule->effect == effect && !answer.rule->observe;
    if (answer.matches && is_meant && counts) return answer.rule->name;
  }
  return {};
}

std::string told(const Decision& decision) {
  return std::string(decision.permits() ? "permit" : text(decision.reason)) + " by " +
         std::string(decision.rule_name());
}

/// What the rules that match come to: forbid beats require_approval beats permit.
std::string told_by_rules(const CallTrace& trace) {
  const std::string_view forbid = first_match(trace, Effect::forbid);
  if (!forbid.empty()) return "forbidden by " + std::string(forbid);
  const std::string_view approval = first_match(trace, Effect::require_approval);
  if (!approval.empty()) return "needs_approval by " + std::string(approval);
  const std::string_view permit = first_match(trace, Effect::permit);
  return (permit.empty() ? "no_matching_rule by " : "permit by ") + std::string(permit);
}

std::string disagreement_of_permissions(const CallTrace& trace) {
  const Decision* check = find_check(trace, "permission");
  const bool lacks = !std::ranges::all_of(trace.permissions, &PermissionAnswer::is_held);
  return check == nullptr || check->denies() == lacks ? "" : "permissions";
}

std::string disagreement_of_predicates(const CallTrace& trace) {
  const Decision* check = find_check(trace, "arguments");
  if (check == nullptr) return "";
  const bool refuses = std::ranges::any_of(
      trace.predicates, [](const PredicateAnswer& answer) { return answer.decision.denies(); });
  const bool is_refused = check->denies() && check->reason != Reason::argument_unguarded;
  return is_refused == refuses ? "" : "predicates";
}

}  // namespace

std::string find_disagreement(const CallTrace& trace) {
  const Decision* access = find_check(trace, "access");
  if (access != nullptr && told(*access) != told_by_rules(trace)) {
    return "access says " + told(*access) + ", its rules " + told_by_rules(trace);
  }
  return disagreement_of_permissions(trace) + disagreement_of_predicates(trace);
}

}  // namespace bartizan
