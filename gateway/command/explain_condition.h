#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// What a condition asks of the circumstances of a call, for people: `the client's address is in
/// 10.0.0.0/8`.
std::string told_fact(const FactCondition& condition);

/// Each entry of `when` or `unless` in such words; of arguments: `/n is a number from 1 to 5`.
std::vector<std::string> told_entries(const RuleConditions& conditions, const Config& config);

/// Who may approve, `role boss or principal ann`, with `separator` between two.
std::string told_approvers(const ApprovalTerms& terms, std::string_view separator);

}  // namespace bartizan
