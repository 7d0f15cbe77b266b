#pragma once

#include <compare>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/load/case_file.h"

namespace bartizan {

/// Somebody who calls, for asking two policies about it: one role, or one principal.
struct DiffCaller {
  std::string role = {};
  std::string principal = {};
  auto operator<=>(const DiffCaller&) const = default;
};

/// Every role; and of the principals those who are more than one role makes them: with none or
/// several, named by a rule, or with other roles than they had.
std::vector<DiffCaller> find_diff_callers(const Config& older, const Config& newer);

/// Callers by roles, as `with_callers` makes principals of them: the roles of either configuration
/// that `of` has.
std::vector<PolicyCase> cases_of_roles(const Config& older, const Config& newer, const Config& of);

}  // namespace bartizan
