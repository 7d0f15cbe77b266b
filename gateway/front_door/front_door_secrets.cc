#include "gateway/front_door/front_door_secrets.h"

#include <algorithm>

#include "audit/digest.h"
#include "gateway/token/base64url.h"
#include "schemas/base/same_secret.h"

namespace bartizan {
namespace {

constexpr std::size_t kMarkBytes = 16;

std::string_view view(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string mark_of(std::string_view grant, std::string_view secret, std::string_view key_hex) {
  std::string text(grant);
  text += '.';
  text += secret;
  const Hash whole = Hmac(key_hex).digest(text);
  return encode_base64url(view(whole).substr(0, kMarkBytes));
}

}  // namespace

std::string new_secret(Random& random) {
  return encode_base64url(view(random.draw<32>()));
}

std::string secret_digest(std::string_view secret) {
  return KeyedDigest::hex(Digester().sha256(secret));
}

std::string pkce_challenge(std::string_view verifier) {
  return encode_base64url(view(Digester().sha256(verifier)));
}

bool is_pkce_verifier(std::string_view verifier, std::string_view challenge) {
  constexpr std::size_t kMin = 43;
  constexpr std::size_t kMax = 128;
  const bool is_plain = std::ranges::all_of(verifier, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_' || c == '~';
  });
  return verifier.size() >= kMin && verifier.size() <= kMax && is_plain &&
         is_same_secret(pkce_challenge(verifier), challenge);
}

std::string RefreshToken::text() const {
  return std::string(kRefreshTokenPrefix) + grant + "." + secret + "." + mark;
}

std::optional<RefreshToken> RefreshToken::read(std::string_view text) {
  constexpr std::size_t kGrantDigits = 32;
  constexpr std::size_t kSecretLetters = 43;
  constexpr std::size_t kMarkLetters = 22;
  if (!text.starts_with(kRefreshTokenPrefix)) return std::nullopt;
  text.remove_prefix(kRefreshTokenPrefix.size());
  const bool has_form = text.size() == kGrantDigits + kSecretLetters + kMarkLetters + 2 &&
                        text[kGrantDigits] == '.' && text[kGrantDigits + 1 + kSecretLetters] == '.';
  if (!has_form) return std::nullopt;
  return RefreshToken{.grant = std::string(text.substr(0, kGrantDigits)),
                      .secret = std::string(text.substr(kGrantDigits + 1, kSecretLetters)),
                      .mark = std::string(text.substr(kGrantDigits + kSecretLetters + 2))};
}

bool RefreshToken::is_made_with(std::string_view key_hex) const {
  return is_same_secret(mark, mark_of(grant, secret, key_hex));
}

RefreshToken new_refresh_token(std::string_view grant, std::string_view key_hex, Random& random) {
  std::string secret = new_secret(random);
  std::string mark = mark_of(grant, secret, key_hex);
  return {.grant = std::string(grant), .secret = std::move(secret), .mark = std::move(mark)};
}

}  // namespace bartizan
