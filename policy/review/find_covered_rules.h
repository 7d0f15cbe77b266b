#pragma once

#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// Permits that are in vain: one forbid takes in all that they name, or another permit asks less of
/// the same callers for the same. Each with a call by it.
std::vector<ConfigProblem> find_covered_rules(const Config& config);

}  // namespace bartizan
