#include "tests/gateway/token/mint_token.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <array>
#include <cstdlib>
#include <map>

namespace bartizan {
namespace {

struct FreeAll {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};

/// A library that fails here fails the whole run.
void demand(bool condition) {
  if (!condition) std::abort();
}

EVP_PKEY* make(KeyKind kind) {
  switch (kind) {
    case KeyKind::rsa:
      return EVP_RSA_gen(2048);
    case KeyKind::p256:
      return EVP_EC_gen("P-256");
    case KeyKind::p384:
      return EVP_EC_gen("P-384");
    case KeyKind::p521:
      return EVP_EC_gen("P-521");
    case KeyKind::ed25519:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  }
  return nullptr;
}

int order_bytes(KeyKind kind) {
  if (kind == KeyKind::p256) return 32;
  return kind == KeyKind::p384 ? 48 : 66;
}

std::string bytes_of(const BIGNUM* number, int size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  demand(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size) == size);
  return bytes;
}

const EVP_MD* digest_of(SignatureAlgorithm algorithm) {
  const auto place = static_cast<std::size_t>(algorithm);
  if (algorithm == SignatureAlgorithm::eddsa) return nullptr;
  static const std::array<const EVP_MD*, 3> kDigests{EVP_sha256(), EVP_sha384(), EVP_sha512()};
  return kDigests[place % 3];
}

bool is_pss(SignatureAlgorithm algorithm) {
  return algorithm >= SignatureAlgorithm::ps256 && algorithm <= SignatureAlgorithm::ps512;
}

std::string raw_of(std::string_view der, int size) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, FreeAll> pair(
      d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
  demand(pair != nullptr);
  return bytes_of(ECDSA_SIG_get0_r(pair.get()), size) +
         bytes_of(ECDSA_SIG_get0_s(pair.get()), size);
}

}  // namespace

void SigningKey::Free::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}

SigningKey::SigningKey(KeyKind kind) : kind_(kind), key_(make(kind)) {
  demand(key_ != nullptr);
}

const SigningKey& SigningKey::of(KeyKind kind) {
  static std::map<KeyKind, SigningKey> keys;
  return keys.try_emplace(kind, kind).first->second;
}

const SigningKey& SigningKey::stranger() {
  static const SigningKey key(KeyKind::p256);
  return key;
}

std::string SigningKey::number(std::string_view member) const {
  if (kind_ == KeyKind::ed25519) {
    std::string bytes(32, '\0');
    std::size_t size = bytes.size();
    demand(EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()),
                                       &size) == 1);
    return bytes;
  }
  static const std::map<std::string_view, const char*> kParameters{{"n", OSSL_PKEY_PARAM_RSA_N},
                                                                   {"e", OSSL_PKEY_PARAM_RSA_E},
                                                                   {"x", OSSL_PKEY_PARAM_EC_PUB_X},
                                                                   {"y", OSSL_PKEY_PARAM_EC_PUB_Y}};
  BIGNUM* value = nullptr;
  demand(EVP_PKEY_get_bn_param(key_.get(), kParameters.at(member), &value) == 1);
  const std::unique_ptr<BIGNUM, FreeAll> number(value);
  return bytes_of(value, kind_ == KeyKind::rsa ? BN_num_bytes(value) : order_bytes(kind_));
}

std::string SigningKey::jwk(std::string_view members) const {
  const auto text = [&](std::string_view name) { return encode_base64url(number(name)); };
  switch (kind_) {
    case KeyKind::rsa:
      return fmt::format(R"({{{}"kty":"RSA","n":"{}","e":"{}"}})", members, text("n"), text("e"));
    case KeyKind::ed25519:
      return fmt::format(R"({{{}"kty":"OKP","crv":"Ed25519","x":"{}"}})", members, text("x"));
    default:
      break;
  }
  const std::string_view curve = kind_ == KeyKind::p256   ? "P-256"
                                 : kind_ == KeyKind::p384 ? "P-384"
                                                          : "P-521";
  return fmt::format(R"({{{}"kty":"EC","crv":"{}","x":"{}","y":"{}"}})", members, curve, text("x"),
                     text("y"));
}

std::string SigningKey::sign(SignatureAlgorithm algorithm, std::string_view input) const {
  const std::unique_ptr<EVP_MD_CTX, FreeAll> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  demand(EVP_DigestSignInit(context.get(), &options, digest_of(algorithm), nullptr, key_.get()) ==
         1);
  if (is_pss(algorithm)) {
    demand(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1);
    demand(EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(input.data());
  std::size_t size = 0;
  demand(EVP_DigestSign(context.get(), nullptr, &size, bytes, input.size()) == 1);
  std::string signature(size, '\0');
  demand(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                        bytes, input.size()) == 1);
  signature.resize(size);
  const bool is_curve = kind_ != KeyKind::rsa && kind_ != KeyKind::ed25519;
  return is_curve ? raw_of(signature, order_bytes(kind_)) : signature;
}

std::string join_token(std::string_view header, std::string_view claims,
                       std::string_view signature) {
  return fmt::format("{}.{}.{}", encode_base64url(header), encode_base64url(claims),
                     encode_base64url(signature));
}

std::string mint(const SigningKey& key, SignatureAlgorithm algorithm, std::string_view header,
                 std::string_view claims) {
  const std::string input =
      fmt::format("{}.{}", encode_base64url(header), encode_base64url(claims));
  return join_token(header, claims, key.sign(algorithm, input));
}

}  // namespace bartizan
