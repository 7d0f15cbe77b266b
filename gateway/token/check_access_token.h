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

/// Actors that are kept of one token.
inline constexpr std::size_t kActorsMax = 8;

/// Whom an access token names, and what is known of it.
struct TokenIdentity {
  std::string principal;            ///< `NAME:VALUE`: the issuer's name and the value of its claim.
  ClaimsPtr claims;                 ///< Never null; without roles for somebody who is not mapped.
  std::string issuer;               ///< Its name in the configuration.
  std::vector<std::string> scopes;  ///< Sorted, each once.
  /// Who acts for the principal, the present one first: `NAME:SUB`, or `ISS:SUB` where another
  /// issuer names it. For the record only: an actor gives no leave.
  std::vector<std::string> actors;
  std::string client;    ///< To which it was issued; empty where it does not say.
  std::string token_id;  ///< `jti`; empty where it has none.
  /// Seconds since 1970 at which it stops to be accepted: `exp` and the skew.
  std::int64_t expires = 0;
  /// The certificate that it is bound to. Whoever remembers this answer accepts the token with that
  /// certificate only.
  std::optional<Hash> certificate = {};
};

/// Whether a token that is verified is an access token, now and for us, and whom it names.
///
/// Input:  `now` in seconds since 1970; the SHA-256 of the certificate that the peer proved to be
///         its own, in DER.
/// Errors: in this order: what kind of token it is, whom it is for, its times, what it is bound to,
///         whom it names. `expired` is told of a token that is right in all before it.
/// Source: RFC 7519 §4.1; RFC 8725 §3.8 to §3.12; RFC 9068 §2.2, §4; RFC 8705 §3.1; RFC 8693 §4.1.
std::expected<TokenIdentity, TokenFault> check_access_token(const VerifiedToken& token,
                                                            std::int64_t now,
                                                            const std::optional<Hash>& certificate);

}  // namespace bartizan
