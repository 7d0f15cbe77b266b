#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "audit/digest.h"
#include "config/issuer_config.h"
#include "gateway/token/check_access_token.h"
#include "gateway/token/token_fault.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Checks an access token by its issuer's introspection answer: valid now and for this gateway.
/// Returns its identity.
///
/// Input:  an answer of the introspection endpoint with `active` true; `now` in seconds since 1970;
///         the SHA-256 of the certificate, in DER, that the peer proved to be its own.
/// Output: as `check_access_token`. An answer without `exp` is valid for the issuer's
///         `max_lifetime`.
/// Errors: those of `check_access_token` but no_access_marker: the issuer was asked about an access
///         token.
/// Source: RFC 7662 §2.2, §4.
std::expected<TokenIdentity, TokenFault> check_introspection(
    JsonValue answer, const IssuerConfig& issuer, std::int64_t now,
    const std::optional<Hash>& certificate);

}  // namespace bartizan
