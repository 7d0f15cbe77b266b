#pragma once

#include <vector>

#include "config/config.h"
#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_policies.h"
#include "policy/diff/diff_targets.h"

namespace bartizan {

/// A change, as it was found for all of its callers and all of these targets; its `what` is empty.
struct FoundChange {
  PolicyChange change = {};
  std::vector<DiffTarget> targets = {};
};

/// The changes as they are told: what can be said in one sentence is one change, and what a
/// principal gains or loses by a role that it keeps is told of the role alone.
///
/// Input: all callers, in the order in which they are told, roles before principals.
std::vector<PolicyChange> gather_changes(const Config& older, const Config& newer,
                                         const std::vector<DiffCaller>& callers,
                                         const std::vector<FoundChange>& found);

}  // namespace bartizan
