#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `credentials` of `[server.NAME]`: the gateway's credentials for the server's URL. Needs its
/// `url`.
/// Errors: reported at their places, without values that may be secrets.
void load_credentials(TableReader& server_table, ServerConfig& server);

/// `headers` of `[server.NAME]`: names with values, or with secrets named by `env:` or `file:`.
/// Needs its `url` and credentials.
/// Errors: reported at their places, without values.
void load_headers(TableReader& server_table, ServerConfig& server);

}  // namespace bartizan
