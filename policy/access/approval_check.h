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

/// Who is which person: principals that `[principal.X] identities` joins are one.
///
/// Threads: immutable once built.
class Persons {
 public:
  Persons() = default;
  explicit Persons(const Config& config);

  /// The principal that stands for the person. Lifetime: of this, or of `principal`.
  std::string_view person_of(std::string_view principal) const;

 private:
  std::map<std::string, std::string, std::less<>> persons_;  ///< Of identities.
};

/// How requests for approval name a flow, beside rules, which they name as they are: `flow:NAME`.
/// No rule has a colon in its name.
std::string flow_name(std::string_view flow);

/// What the rules and flows of a configuration want approved, by the names that requests have.
std::map<std::string, ApprovalTerms, std::less<>> approval_terms(const Config& config);

/// Whether the terms let this principal approve, who has these roles. Whose call it is is not asked
/// here.
bool may_approve(const ApprovalTerms& terms, std::string_view principal,
                 std::span<const std::string> roles);

/// How many persons have approved a call of `caller` in a way that counts at `now`: each may
/// approve under the terms, and is not the caller where they want that.
/// Input: `rule`, the name of what wants the approval.
std::size_t count_approvals(const ApprovalTerms& terms, std::string_view rule,
                            const Persons& persons, std::string_view caller,
                            std::span<const Approval> approvals, std::int64_t now);

}  // namespace bartizan
