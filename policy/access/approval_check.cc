#include "policy/access/approval_check.h"

#include <algorithm>
#include <vector>

#include "schemas/base/contains.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {

Persons::Persons(const Config& config) {
  for (const auto& [id, principal] : config.principals) {
    if (!principal.identities.has_value()) continue;
    for (const std::string& identity : *principal.identities)
      persons_.emplace(identity, id);
  }
}

std::string_view Persons::person_of(std::string_view principal) const {
  const auto found = persons_.find(principal);
  return found == persons_.end() ? principal : std::string_view(found->second);
}

std::string flow_name(std::string_view flow) {
  return "flow:" + std::string(flow);
}

std::map<std::string, ApprovalTerms, std::less<>> approval_terms(const Config& config) {
  std::map<std::string, ApprovalTerms, std::less<>> terms;
  for (const auto& [name, rule] : config.rules) {
    if (rule.effect == Effect::require_approval) terms.emplace(name, rule.approval);
  }
  for (const auto& [name, flow] : config.flows) {
    if (flow.effect == Effect::require_approval) terms.emplace(flow_name(name), flow.approval);
  }
  return terms;
}

bool may_approve(const ApprovalTerms& terms, std::string_view principal,
                 std::span<const std::string> roles) {
  return contains(terms.principals, principal) ||
         std::ranges::any_of(terms.approvers,
                             [&roles](const std::string& role) { return contains(roles, role); });
}

std::size_t count_approvals(const ApprovalTerms& terms, std::string_view rule,
                            const Persons& persons, std::string_view caller,
                            std::span<const Approval> approvals, std::int64_t now) {
  std::vector<std::string_view> counted;
  const std::string_view own = persons.person_of(caller);
  for (const Approval& approval : approvals) {
    if (!approval.rule.empty() && approval.rule != rule) continue;
    const std::string_view person = persons.person_of(approval.approver);
    if (person == own && !terms.self_approval) continue;
    // An approval from the future is from before a clock was set back, so its age is unknown.
    if (approval.at > now || now - approval.at >= terms.valid_for.count()) continue;
    if (may_approve(terms, approval.approver, approval.roles)) counted.push_back(person);
  }
  keep_each_once(counted);
  return counted.size();
}

}  // namespace bartizan
