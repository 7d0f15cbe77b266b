#pragma once

#include <cstddef>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// What this advice may cost a configuration that is loaded: some tenths of a second, and more than
/// 100,000 rules need of which none has many patterns. Counted, so that the same configuration is
/// told the same on every machine.
inline constexpr std::size_t kAdviceStepsMax = 4'000'000;

/// Permits that are in vain: one forbid takes in all that they name, or another permit asks less of
/// the same callers for the same. Each with a call by it. Where the steps run out, one more warning
/// says of how many rules, in the order of their names, this was found out.
///
/// Input: `steps_max`: patterns that are read or held against others, each some 100 ns.
/// Cost:  for each pattern the rules that begin and end as it does and name the same callers.
std::vector<ConfigProblem> find_covered_rules(const Config& config,
                                              std::size_t steps_max = kAdviceStepsMax);

}  // namespace bartizan
