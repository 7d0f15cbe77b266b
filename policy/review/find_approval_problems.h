#pragma once

#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// What is wrong with the rules and flows that want approvals: that too few persons could give
/// them, that nobody could be asked, that no state file would keep them, or that a server could
/// give them by itself, since it runs as the gateway's account and is not confined. Warns of
/// principals who count as several persons though nothing says that they are.
std::vector<ConfigProblem> find_approval_problems(const Config& config);

}  // namespace bartizan
