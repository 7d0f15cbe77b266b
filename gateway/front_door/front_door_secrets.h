#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"

namespace bartizan {

/// 256 random bits as base64url, for a browser, a provider or a client to return.
std::string new_secret(Random& random);

/// The SHA-256 of a text, hexadecimal. The state file has it instead of the secret.
std::string secret_digest(std::string_view secret);

/// The S256 challenge of a PKCE verifier. Source: RFC 7636 §4.2.
std::string pkce_challenge(std::string_view verifier);
/// Whether the text is a valid verifier and matches the challenge; compared in constant time.
/// Source: RFC 7636 §4.1, §4.6.
bool is_pkce_verifier(std::string_view verifier, std::string_view challenge);

/// The prefixes of the gateway's own tokens and codes. Secret scanners find them by these.
inline constexpr std::string_view kRefreshTokenPrefix = "btzr_";
inline constexpr std::string_view kCodePrefix = "btzc_";

/// A refresh token: the grant's id, a secret, and a mark that proves that the grant once had it.
struct RefreshToken {
  std::string grant;   ///< 32 hexadecimal digits.
  std::string secret;  ///< base64url
  std::string mark;    ///< base64url

  std::string text() const;
  static std::optional<RefreshToken> read(std::string_view text);
  /// Whether it was made with that key, even if it was replaced since.
  bool is_made_with(std::string_view key_hex) const;
};
RefreshToken new_refresh_token(std::string_view grant, std::string_view key_hex, Random& random);

}  // namespace bartizan
