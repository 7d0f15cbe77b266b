#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `security_profile` of a server, with the names of a Groundhog tool. `sandbox_level` is `level`
/// of its sandbox, `max_execution_time` is `timeout` in seconds, and `max_memory` is `total_memory`
/// of its sandbox in bytes. A value set under both names is reported.
void load_security_profile(TableReader& server_table, ServerConfig& server);

/// `sandbox` of a server. Needs the result of `load_security_profile`.
void load_sandbox(TableReader& server_table, ServerConfig& server);

}  // namespace bartizan
