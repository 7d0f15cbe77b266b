#pragma once

#include <set>
#include <vector>

#include "policy/diff/diff_callers.h"
#include "policy/diff/diff_targets.h"
#include "policy/diff/target_entries.h"

namespace bartizan {

// Of callers and targets that both policies answer alike, whatever the call, one has to be asked
// about. What is not known to be answered alike stands by itself.

/// Targets of which each policy says the same to every caller: with the same rules, profiles and
/// server's settings, and tools of the same schemas, approved alike. In their order.
std::vector<std::vector<DiffTarget>> group_targets(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::set<DiffTarget>& targets);

/// Callers to whom each policy says the same of every call of the target: bound by the same of the
/// rules about it, with the same of the permissions that it needs, trusted alike, and none of them
/// one who may approve calls. Attributes are told apart by limits alone, which no diff charges. In
/// their order.
std::vector<std::vector<DiffCaller>> group_callers(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::vector<DiffCaller>& callers,
                                                   const DiffTarget& target);

}  // namespace bartizan
