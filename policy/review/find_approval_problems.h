#pragma once

#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// Problems of the rules and flows that require approvals. Too few persons can give them, nobody
/// can be asked, or no state file keeps them. A server can give them by itself, because it runs as
/// the gateway's account without confinement. Warns of principals that count as several persons
/// without a statement that they are.
std::vector<ConfigProblem> find_approval_problems(const Config& config);

}  // namespace bartizan
