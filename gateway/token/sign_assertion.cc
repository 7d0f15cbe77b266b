#include "gateway/token/sign_assertion.h"

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "gateway/token/base64url.h"
#include "gateway/token/no_openssl_errors.h"
#include "gateway/token/pem_key.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

struct FreeSignature {
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};

constexpr int kRsaBitsMin = 2048;

/// The algorithm of a key.
struct Signer {
  std::string_view algorithm;      ///< The value of `alg`.
  const EVP_MD* digest = nullptr;  ///< Null if the algorithm has its own.
  std::size_t half = 0;            ///< For an elliptic curve, the length of r and of s.
};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::config_invalid, Fault::gateway, std::move(detail));
}

Result<Signer> signer_of(EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      if (EVP_PKEY_get_bits(key) < kRsaBitsMin) {
        return refuse("the client's key is an RSA key of less than 2048 bits");
      }
      return Signer{.algorithm = "RS256", .digest = EVP_sha256()};
    case EVP_PKEY_ED25519:
      return Signer{.algorithm = "EdDSA"};
    case EVP_PKEY_EC:
      break;
    default:
      return refuse("the client's key is neither RSA, EC nor Ed25519");
  }
  std::array<char, 32> name{};
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) != 1) {
    return refuse("the client's key is of no known curve");
  }
  const std::string_view curve(name.data());
  if (curve == "prime256v1" || curve == "P-256") return Signer{"ES256", EVP_sha256(), 32};
  if (curve == "secp384r1" || curve == "P-384") return Signer{"ES384", EVP_sha384(), 48};
  if (curve == "secp521r1" || curve == "P-521") return Signer{"ES512", EVP_sha512(), 66};
  return refuse("the client's key is of a curve that JWS does not sign with");
}

/// r and s, each as long as the order, instead of DER. Source: RFC 7518 §3.4.
std::string raw_signature(std::string_view der, std::size_t half) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, FreeSignature> signature(
      d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
  std::string raw(half * 2, '\0');
  auto* out = reinterpret_cast<unsigned char*>(raw.data());
  const auto size = static_cast<int>(half);
  const bool is_written = signature != nullptr &&
                          BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, size) == size &&
                          BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + half, size) == size;
  return is_written ? raw : std::string();
}

Result<std::string> sign(EVP_PKEY* key, const Signer& signer, std::string_view input) {
  std::string signature = sign_bytes(key, signer.digest, input);
  if (!signature.empty() && signer.half > 0) signature = raw_signature(signature, signer.half);
  if (signature.empty()) return refuse("the client's key does not sign");
  return signature;
}

}  // namespace

Result<std::string> sign_assertion(std::string_view pem, std::string_view key_id,
                                   std::string_view claims_json) {
  const NoOpensslErrors guard;
  const PemKey key = read_private_pem(pem);
  if (key == nullptr) {
    return refuse("the client's key is not a private key in PEM without a passphrase");
  }
  const Result<Signer> signer = signer_of(key.get());
  if (!signer.has_value()) return std::unexpected(signer.error());
  std::string header = R"({"alg":")" + std::string(signer->algorithm) + R"(","typ":"JWT")";
  if (!key_id.empty()) header += R"(,"kid":)" + json_string(key_id);
  header += '}';
  std::string token = encode_base64url(header) + '.' + encode_base64url(claims_json);
  const Result<std::string> signature = sign(key.get(), *signer, token);
  if (!signature.has_value()) return std::unexpected(signature.error());
  token += '.';
  return token += encode_base64url(*signature);
}

}  // namespace bartizan
