#pragma once

#include <string>

#include "config/config.h"
#include "policy/diff/diff_policies.h"
#include "policy/diff/diff_targets.h"

namespace bartizan {

/// The place of an entry in one of two configurations.
struct DiffPlace {
  std::string where = {};  ///< `file:line:column`; empty if no single entry can be named.
  DiffSide in = DiffSide::newer;
};

/// The entry that most likely made a change, among those that differ between both configurations.
/// Candidates are, in this order:
///
/// - the predicate of a profile on the argument, or the place or form that it names;
/// - the profile or role where a permission is missing;
/// - the rule;
/// - a role or a principal of the first caller;
/// - a profile of the tool that is new, gone or different;
/// - `[policy]`.
///
/// The place is in the newer configuration, or in the older one for an entry that is gone. Nothing
/// if none of these differs.
DiffPlace place_of_change(const Config& older, const Config& newer, const DiffTarget& target,
                          const PolicyChange& change);

}  // namespace bartizan
