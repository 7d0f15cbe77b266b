#include "gateway/token/record_key.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "gateway/token/base64url.h"
#include "gateway/token/pem_key.h"

namespace bartizan {
namespace {

constexpr std::size_t kEd25519Bytes = 32;

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::config_invalid, Fault::gateway, std::move(detail));
}

/// The bytes of the public part; nothing for a key of another kind.
std::optional<std::string> public_bytes(const EVP_PKEY* key) {
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) return std::nullopt;
  std::string bytes(kEd25519Bytes, '\0');
  std::size_t size = bytes.size();
  const bool is_read =
      EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(bytes.data()), &size) == 1;
  return is_read && size == kEd25519Bytes ? std::optional(std::move(bytes)) : std::nullopt;
}

/// With the members in the order for thumbprints.
std::string jwk_of(std::string_view bytes) {
  return R"({"crv":"Ed25519","kty":"OKP","x":")" + encode_base64url(bytes) + R"("})";
}

std::string thumbprint(std::string_view jwk) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(jwk.data()), jwk.size(), hash.data());
  return encode_base64url({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

}  // namespace

Result<RecordKey> RecordKey::read(std::string_view pem) {
  PemKey key = read_private_pem(pem);
  if (key == nullptr) return refuse("is not a private key in PEM without a passphrase");
  const auto bytes = public_bytes(key.get());
  if (!bytes.has_value()) return refuse("is not an Ed25519 key");
  RecordKey read;
  read.key_ = std::move(key);
  read.jwk_ = jwk_of(*bytes);
  read.id_ = thumbprint(read.jwk_);
  return read;
}

Result<std::string> RecordKey::sign(std::string_view type, std::string_view claims_json) const {
  std::string header = R"({"alg":"EdDSA","kid":")" + id_ + R"(","typ":")";
  header.append(type).append(R"("})");
  std::string jws = encode_base64url(header) + '.' + encode_base64url(claims_json);
  const std::string signature = sign_bytes(key_.get(), nullptr, jws);
  if (signature.empty()) return refuse("the key does not sign");
  jws += '.';
  return jws += encode_base64url(signature);
}

Result<IssuerKey> read_signer_key(std::string_view pem) {
  const PemKey key = read_public_pem(pem);
  if (key == nullptr) {
    return refuse(read_private_pem(pem) == nullptr
                      ? "is not a public key in PEM"
                      : "holds a private key, and the public one alone belongs here");
  }
  const auto bytes = public_bytes(key.get());
  if (!bytes.has_value()) return refuse("is not an Ed25519 key");
  auto made = PublicKey::make_ed25519(*bytes);
  if (!made.has_value()) return refuse("is not a sound Ed25519 key");
  return IssuerKey{.key = *std::move(made),
                   .id = thumbprint(jwk_of(*bytes)),
                   .algorithm = SignatureAlgorithm::eddsa};
}

}  // namespace bartizan
