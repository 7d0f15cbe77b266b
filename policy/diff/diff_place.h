#pragma once

#include <string>

#include "config/config.h"
#include "policy/diff/diff_policies.h"
#include "policy/diff/diff_targets.h"

namespace bartizan {

/// Where an entry of one of two configurations stands.
struct DiffPlace {
  std::string where = {};  ///< `file:line:column`; empty where no one entry can be named.
  DiffSide in = DiffSide::newer;
};

/// The entry that most likely made a change, of those that are not the same in both: what a profile
/// asks of the argument, or the place or form that it names; the profile or role where a permission
/// is missing; the rule; a role or a principal of the first caller; `[policy]`. Of the newer one,
/// or of the older where it is gone; nothing where none of these differs.
DiffPlace place_of_change(const Config& older, const Config& newer, const DiffTarget& target,
                          const PolicyChange& change);

}  // namespace bartizan
