#pragma once

#include <vector>

#include "config/config.h"
#include "gateway/http/own_header.h"
#include "schemas/base/result.h"

namespace bartizan {

/// What the gateway sends a server of its own with every message: its credentials, as
/// `Authorization`, and the configured headers. Reads the secrets from where the configuration
/// names them.
///
/// Errors: config_invalid when a secret cannot be read, or cannot be the value of a header; the
///         detail names the secret, and never holds it.
/// Source: RFC 6750 §2.1; RFC 7617 §2.
Result<std::vector<OwnHeader>> read_own_headers(const ServerConfig& config);

}  // namespace bartizan
