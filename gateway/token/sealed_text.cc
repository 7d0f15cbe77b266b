#include "gateway/token/sealed_text.h"

#include <openssl/evp.h>

#include <memory>

#include "audit/digest.h"
#include "gateway/token/base64url.h"
#include "schemas/base/secret_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

Hash key_for(SealedFor use, std::string_view secret) {
  switch (use) {
    case SealedFor::provider_token:
      return Hmac(secret).digest("bartizan front door: provider token");
    case SealedFor::request_state:
      return Hmac(secret).digest("bartizan bridge: request state");
    case SealedFor::task_id:
      break;
  }
  return Hmac(secret).digest("bartizan call: task id");
}

}  // namespace

std::string seal_text(SealedFor use, std::string_view text, std::string_view bound_to,
                      std::string_view secret, Random& random) {
  const Hash key = key_for(use, secret);
  const auto nonce = random.draw<kNonceBytes>();
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string sealed(reinterpret_cast<const char*>(nonce.data()), nonce.size());
  sealed.resize(kNonceBytes + text.size() + kTagBytes);
  unsigned char* const out = bytes_of(sealed) + kNonceBytes;
  int size = 0;
  const bool is_done =
      cipher != nullptr &&
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), nonce.data()) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(bound_to),
                        static_cast<int>(bound_to.size())) == 1 &&
      EVP_EncryptUpdate(cipher.get(), out, &size, bytes_of(text), static_cast<int>(text.size())) ==
          1 &&
      EVP_EncryptFinal_ex(cipher.get(), out + text.size(), &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, out + text.size()) == 1;
  return is_done ? encode_base64url(sealed) : std::string();
}

std::optional<std::string> open_sealed_text(SealedFor use, std::string_view sealed,
                                            std::string_view bound_to, std::string_view secret) {
  auto bytes = decode_base64url(sealed);
  if (!bytes.has_value() || bytes->size() < kNonceBytes + kTagBytes) return std::nullopt;
  const Hash key = key_for(use, secret);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  const std::size_t length = bytes->size() - kNonceBytes - kTagBytes;
  unsigned char* const in = bytes_of(*bytes) + kNonceBytes;
  std::string text(length, '\0');
  int size = 0;
  const bool is_open =
      cipher != nullptr &&
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), bytes_of(*bytes)) ==
          1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(bound_to),
                        static_cast<int>(bound_to.size())) == 1 &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(text), &size, in, static_cast<int>(length)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, in + length) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + length, &size) == 1;
  if (!is_open) {
    wipe(text.data(), text.size());
    return std::nullopt;
  }
  return text;
}

}  // namespace bartizan
