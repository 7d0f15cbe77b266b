#pragma once

#include <cstddef>
#include <expected>
#include <span>

#include "config/issuer_config.h"
#include "gateway/token/jwk_set.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/token_fault.h"

namespace bartizan {

/// The most keys that are tried for one token: each costs.
inline constexpr std::size_t kKeysTriedMax = 4;

/// Whether a JWS is signed by one of these keys. It tries the key that the JWS names. Without a key
/// id, it tries all keys for its algorithm.
///
/// Input:  the algorithms that the issuer may use; empty for all known ones.
/// Errors: algorithm_not_allowed; unknown_key, which fetching the keys again may resolve;
///         key_other_algorithm; keys_ambiguous for more than `kKeysTriedMax`; those of
///         `PublicKey::verify`.
/// Source: RFC 7515 §5.2; RFC 8725 §3.1, §3.2.
std::expected<void, TokenFault> verify_signature(const CompactJws& jws,
                                                 std::span<const IssuerKey> keys,
                                                 std::span<const SignatureAlgorithm> allowed);

/// Proof that a token is from an issuer and was not changed. It may be expired, or for another
/// audience.
///
/// Lifetime: within those of the token and of the issuer's configuration.
class VerifiedToken {
 public:
  const TokenHeader& header() const { return token_->jws().header; }
  JsonValue claims() const { return token_->claims(); }
  const IssuerConfig& issuer() const { return *issuer_; }

 private:
  friend std::expected<VerifiedToken, TokenFault> verify_token(const SignedToken& token,
                                                               const IssuerConfig& issuer,
                                                               std::span<const IssuerKey> keys);
  VerifiedToken(const SignedToken& token, const IssuerConfig& issuer)
      : token_(&token), issuer_(&issuer) {}

  const SignedToken* token_;
  const IssuerConfig* issuer_;
};

/// Whether a token names this issuer and is signed by one of its keys.
///
/// Input:  keys of that issuer.
/// Errors: issuer_missing, issuer_malformed, issuer_other, those of `verify_signature`.
/// Source: RFC 8725 §3.8; RFC 9068 §4.
std::expected<VerifiedToken, TokenFault> verify_token(const SignedToken& token,
                                                      const IssuerConfig& issuer,
                                                      std::span<const IssuerKey> keys);

}  // namespace bartizan
