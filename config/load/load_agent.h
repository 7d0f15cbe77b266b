#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `agent` of a server; nothing where it has none. What is wrong with it is reported.
std::optional<AgentConfig> load_agent(TableReader& server);

/// Reports agents that two servers have, agents that no endpoint takes, and agents without a tool:
/// an agent's tools are the profiles of exactly one tool that have a `schema`. Needs `servers`,
/// `endpoints` and `tools`.
void check_agents(const Config& config, Problems& problems);

}  // namespace bartizan
