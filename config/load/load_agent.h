#pragma once

#include <map>
#include <optional>
#include <string>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `agent` of a server; nothing if it has none. Reports errors.
std::optional<AgentConfig> load_agent(TableReader& server);

/// Reports agents of two servers, agents that no endpoint accepts, and agents without tools. An
/// agent's tools are the profiles of exactly one tool with a `schema`. Needs `servers`, `endpoints`
/// and `tools`.
void check_agents(const Config& config, Problems& problems);

}  // namespace bartizan
