#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// `credentials` of `[server.NAME]`: what the gateway shows to the server's URL. Needs its `url`.
/// Errors: reported where they stand; a value that may be a secret is never repeated.
void load_credentials(TableReader& server_table, ServerConfig& server);

/// `headers` of `[server.NAME]`: names with values, or with secrets that `env:` and `file:` name.
/// Needs its `url` and credentials.
/// Errors: reported where they stand; a value is never repeated.
void load_headers(TableReader& server_table, ServerConfig& server);

}  // namespace bartizan
