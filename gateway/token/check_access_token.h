#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "audit/digest.h"
#include "gateway/token/token_fault.h"
#include "gateway/token/verify_signature.h"
#include "policy/verdict/principal.h"

namespace bartizan {

/// The most actors that are kept of one token.
inline constexpr std::size_t kActorsMax = 8;

/// The identity in an access token, and other facts from it.
struct TokenIdentity {
  std::string principal;            ///< `NAME:VALUE`: the issuer's name and the value of its claim.
  ClaimsPtr claims;                 ///< Never null; without roles for a user that no claim maps.
  std::string issuer;               ///< Its name in the configuration.
  std::vector<std::string> scopes;  ///< Sorted, each once.
  /// The actors for the principal, the present one first: `NAME:SUB`, or `ISS:SUB` if another
  /// issuer names it. For the record only: an actor grants nothing.
  std::vector<std::string> actors;
  std::string client;    ///< The client that it was issued to; empty if not stated.
  std::string token_id;  ///< `jti`; empty without one.
  /// Seconds since 1970 from which on it is not accepted: `exp` and the skew.
  std::int64_t expires = 0;
  /// The certificate that it is bound to. A cached answer is valid with that certificate only.
  std::optional<Hash> certificate = {};
};

/// Checks a verified token: it must be an access token, valid now and for this gateway. Returns its
/// identity.
///
/// Input:  `now` in seconds since 1970; the SHA-256 of the certificate, in DER, that the peer
///         proved to be its own.
/// Errors: in this order: its kind, its audience, its times, its binding, its identity. `expired`
///         is reported only if all checks before it pass.
/// Source: RFC 7519 §4.1; RFC 8725 §3.8 to §3.12; RFC 9068 §2.2, §4; RFC 8705 §3.1; RFC 8693 §4.1.
std::expected<TokenIdentity, TokenFault> check_access_token(const VerifiedToken& token,
                                                            std::int64_t now,
                                                            const std::optional<Hash>& certificate);

}  // namespace bartizan
