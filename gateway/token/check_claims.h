#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "audit/digest.h"
#include "config/issuer_config.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/token_fault.h"

namespace bartizan {

/// Whether a token is an access token. It must have the marks of its issuer's access tokens, and
/// none of ID tokens, refresh tokens or events.
///
/// Errors: id_token, other_use, no_access_marker.
/// Source: RFC 8725 §3.12; OpenID Connect Core 1.0 §2, §3.3.2.11; RFC 8417 §2.2. `typ` and
///         `token_use` among the claims are Keycloak's and Cognito's.
std::expected<void, TokenFault> check_kind(const TokenHeader& header, JsonValue claims,
                                           const IssuerConfig& issuer);

/// Whether it is for this gateway: one of its audiences equals a configured one, byte for byte.
/// Errors: audience_missing, audience_malformed, audience_other.
std::expected<void, TokenFault> check_audience(JsonValue claims, const IssuerConfig& issuer);

/// Whether each required claim has one of its values.
/// Errors: requirement; those of `read_claim_values`.
std::expected<void, TokenFault> check_requirements(JsonValue claims, const IssuerConfig& issuer);

/// Whether it is valid now, and not for longer than allowed. Returns the time from which on it is
/// not accepted.
/// Input:  `now` in seconds since 1970.
/// Errors: those of its times.
std::expected<std::int64_t, TokenFault> check_times(JsonValue claims, const IssuerConfig& issuer,
                                                    std::int64_t now);

/// Whether the peer that shows it is the one that it was issued to. Returns the certificate that it
/// is bound to.
/// Errors: confirmation_malformed; confirmation_unknown, also if only some of its members are
///         unknown; certificate_missing, certificate_other.
/// Source: RFC 7800 §3.1; RFC 8705 §3.1.
std::expected<std::optional<Hash>, TokenFault> check_confirmation(
    JsonValue claims, const std::optional<Hash>& certificate);

}  // namespace bartizan
