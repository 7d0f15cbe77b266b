#pragma once

#include "audit/digest.h"
#include "config/issuer_config.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "gateway/token/jwk_set.h"

namespace bartizan {

/// A key set, and the SHA-256 of its text.
struct FetchedKeys {
  JwkSet set;
  Hash digest{};
};

/// Fetches the keys that an issuer publishes: in its file, at its URL, or at the URL in its
/// metadata.
///
/// Errors:  io_failed, timed_out and the http_* codes of the connection; server_failed for a status
///          other than 200, metadata of another issuer, and a URL that must not be requested; those
///          of `read_jwk_set`. The sentences have no text from the issuer.
/// Threads: those of the loop.
/// Source:  OpenID Connect Discovery 1.0 §4; RFC 8414 §3; MCP 2026-07-28,
///          basic/authorization/authorization-server-discovery.
Task<Result<FetchedKeys>> fetch_issuer_keys(Loop& loop, IssuerConfig issuer);

}  // namespace bartizan
