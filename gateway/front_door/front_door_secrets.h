#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"

namespace bartizan {

/// 256 unpredictable bits as base64url: what a browser, a provider or a client brings back.
std::string new_secret(Random& random);

/// The SHA-256 of a text, hexadecimal: by which the state file knows what it must not hold.
std::string secret_digest(std::string_view secret);

/// The S256 challenge of a PKCE verifier. Source: RFC 7636 §4.2.
std::string pkce_challenge(std::string_view verifier);
/// Whether it is a verifier, and that of the challenge; compared in constant time.
/// Source: RFC 7636 §4.1, §4.6.
bool is_pkce_verifier(std::string_view verifier, std::string_view challenge);

/// What tokens of the gateway's own begin with: secret scanners find them by it.
inline constexpr std::string_view kRefreshTokenPrefix = "btzr_";
inline constexpr std::string_view kCodePrefix = "btzc_";

/// A refresh token: the grant's id, a secret, and what shows that the grant had it once.
struct RefreshToken {
  std::string grant;   ///< 32 hexadecimal digits.
  std::string secret;  ///< base64url
  std::string mark;    ///< base64url

  std::string text() const;
  static std::optional<RefreshToken> read(std::string_view text);
  /// Whether it was made with that key, whatever became of it since.
  bool is_made_with(std::string_view key_hex) const;
};
RefreshToken new_refresh_token(std::string_view grant, std::string_view key_hex, Random& random);

}  // namespace bartizan
