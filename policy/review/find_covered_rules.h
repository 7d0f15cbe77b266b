#pragma once

#include <cstddef>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// The steps that this advice may take for a loaded configuration: some tenths of a second. More
/// than 100,000 rules with few patterns each need fewer. Steps are counted, so that every machine
/// gives the same advice.
inline constexpr std::size_t kAdviceStepsMax = 4'000'000;

/// Warnings about redundant permits: one forbid covers all their targets, or another permit grants
/// the same to the same callers under fewer conditions. Each has an example call. If the steps run
/// out, one more warning states how many rules, in the order of their names, were examined.
///
/// Input: `steps_max`: patterns that are read or compared, each some 100 ns.
/// Cost:  for each pattern, the rules with the same beginning and end and the same callers.
std::vector<ConfigProblem> find_covered_rules(const Config& config,
                                              std::size_t steps_max = kAdviceStepsMax);

}  // namespace bartizan
