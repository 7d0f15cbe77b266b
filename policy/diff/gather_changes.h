#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_policies.h"
#include "policy/diff/diff_targets.h"

namespace bartizan {

/// A change as found, for all of its callers and all of these targets. Its `what` is empty.
struct FoundChange {
  PolicyChange change = {};
  std::vector<DiffTarget> targets = {};
};

/// Merges the changes for display. Changes that one sentence can describe become one. A change of a
/// principal is dropped if a role that the principal keeps has the same change.
///
/// Input: all callers in the order of display, roles before principals.
std::vector<PolicyChange> gather_changes(const Config& older, const Config& newer,
                                         const std::vector<DiffCaller>& callers,
                                         const std::vector<FoundChange>& found);

}  // namespace bartizan
