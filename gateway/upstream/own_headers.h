#pragma once

#include <vector>

#include "config/config.h"
#include "gateway/http/own_header.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The headers that the gateway adds to every message for a server: its credentials, as
/// `Authorization`, and the configured headers. Reads the secrets from their configured places.
///
/// Errors: config_invalid if a secret cannot be read, or cannot be the value of a header. The
///         detail names the secret and never contains it.
/// Source: RFC 6750 §2.1; RFC 7617 §2.
Result<std::vector<OwnHeader>> read_own_headers(const ServerConfig& config);

}  // namespace bartizan
