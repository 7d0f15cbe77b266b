#include "gateway/front_door/front_door_secrets.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>

#include "audit/digest.h"
#include "gateway/token/base64url.h"
#include "schemas/base/same_secret.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kMarkBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

std::string_view view(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

/// A key for one use of a secret, which is 256 unpredictable bits.
Hash key_for_sealing(std::string_view secret) {
  return Hmac(secret).digest("bartizan front door: provider token");
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

std::string seal(std::string_view text, std::string_view secret, Random& random) {
  const Hash key = key_for_sealing(secret);
  const auto nonce = random.draw<kNonceBytes>();
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string sealed(view(nonce));
  sealed.resize(kNonceBytes + text.size() + kTagBytes);
  unsigned char* const out = bytes_of(sealed) + kNonceBytes;
  int size = 0;
  int rest = 0;
  const bool is_done =
      cipher != nullptr &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce.data()) == 1 &&
      EVP_EncryptUpdate(cipher.get(), out, &size, bytes_of(text), static_cast<int>(text.size())) ==
          1 &&
      EVP_EncryptFinal_ex(cipher.get(), out + size, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, out + text.size()) == 1;
  // Without it the client cannot refresh, and signs in again.
  return is_done ? encode_base64url(sealed) : std::string();
}

std::optional<std::string> open_sealed(std::string_view sealed, std::string_view secret) {
  auto bytes = decode_base64url(sealed);
  if (!bytes.has_value() || bytes->size() < kNonceBytes + kTagBytes) return std::nullopt;
  const Hash key = key_for_sealing(secret);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  const std::size_t length = bytes->size() - kNonceBytes - kTagBytes;
  unsigned char* const in = bytes_of(*bytes) + kNonceBytes;
  std::string text(length, '\0');
  int size = 0;
  int rest = 0;
  const bool is_open =
      cipher != nullptr &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), bytes_of(*bytes)) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(text), &size, in, static_cast<int>(length)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, in + length) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + size, &rest) == 1;
  if (!is_open) {
    wipe(text.data(), text.size());
    return std::nullopt;
  }
  return text;
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
