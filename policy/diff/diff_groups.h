#pragma once

#include <set>
#include <vector>

#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/target_entries.h"

namespace bartizan {

// Callers and targets that both policies answer alike form a group. One member of a group is asked
// about. A caller or target that is not known to be answered alike forms a group alone.

/// Groups of targets to which each policy gives every caller the same answers. Their rules,
/// profiles and server settings are the same. Their tools have the same schemas and are approved
/// alike. In the order of the targets.
std::vector<std::vector<DiffTarget>> group_targets(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::set<DiffTarget>& targets);

/// Groups of callers to which each policy gives the same answer to every call of the target. The
/// same rules about the target bind them. They hold the same of the permissions that it needs, and
/// are trusted alike. A principal that may approve calls is in no group with others. Attributes do
/// not matter: only limits use them, and no diff charges limits. In the order of the callers.
std::vector<std::vector<DiffCaller>> group_callers(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::vector<DiffCaller>& callers,
                                                   const DiffTarget& target);

}  // namespace bartizan
