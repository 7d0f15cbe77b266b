#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// A condition on the circumstances of a call, for people: `the client's address is in 10.0.0.0/8`.
std::string told_fact(const FactCondition& condition);

/// Each entry of `when` or `unless` for people; for arguments: `/n is a number from 1 to 5`.
std::vector<std::string> told_entries(const RuleConditions& conditions, const Config& config);

/// The possible approvers, joined by `separator`: `role boss or principal ann`.
std::string told_approvers(const ApprovalTerms& terms, std::string_view separator);

}  // namespace bartizan
