#pragma once

#include <compare>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/load/case_file.h"

namespace bartizan {

/// A caller about which two policies are asked: one role, or one principal.
struct DiffCaller {
  std::string role = {};
  std::string principal = {};
  auto operator<=>(const DiffCaller&) const = default;
};

/// Every role, and each principal that its single role does not describe: with no role or several,
/// named by a rule, or with other roles than before.
std::vector<DiffCaller> find_diff_callers(const Config& older, const Config& newer);

/// One case for each role of either configuration that `of` has. `with_callers` makes principals of
/// them.
std::vector<PolicyCase> cases_of_roles(const Config& older, const Config& newer, const Config& of);

}  // namespace bartizan
