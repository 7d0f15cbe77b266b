#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "policy/verdict/approval.h"

namespace bartizan {

/// The person behind each principal. Principals that `[principal.X] identities` joins are one
/// person.
///
/// Threads: immutable once built.
class Persons {
 public:
  Persons() = default;
  explicit Persons(const Config& config);

  /// The principal that stands for the person. Lifetime: that of this object, or of `principal`.
  std::string_view person_of(std::string_view principal) const;

 private:
  std::map<std::string, std::string, std::less<>> persons_;  ///< By identity.
};

/// The name of a flow in requests for approval: `flow:NAME`. Rules appear there by their own names,
/// which never have a colon.
std::string flow_name(std::string_view flow);

/// The terms of approval of all rules and flows of a configuration, by their names in requests.
std::map<std::string, ApprovalTerms, std::less<>> approval_terms(const Config& config);

/// Whether the terms let this principal, with these roles, approve calls. The caller of the call is
/// not checked.
bool may_approve(const ApprovalTerms& terms, std::string_view principal,
                 std::span<const std::string> roles);

/// The number of persons whose approval of a call of `caller` counts at `now`. Each may approve
/// under the terms, and is not the caller if the terms exclude the caller.
/// Input: `rule`, the name of the rule or flow that requires approval.
std::size_t count_approvals(const ApprovalTerms& terms, std::string_view rule,
                            const Persons& persons, std::string_view caller,
                            std::span<const Approval> approvals, std::int64_t now);

}  // namespace bartizan
