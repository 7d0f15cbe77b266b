#include "gateway/token/public_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "gateway/token/edwards_point.h"
#include "gateway/token/no_openssl_errors.h"

namespace bartizan {
namespace {

constexpr std::size_t kModulusBitsMin = 2048;
/// The cost of verification grows with the square, and the sender of a token chooses among the
/// keys.
constexpr std::size_t kModulusBitsMax = 8192;
/// The most bits of an RSA exponent, as in other libraries: a larger exponent only costs.
constexpr int kExponentBitsMax = 33;

struct FreeAll {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* params) const { OSSL_PARAM_free(params); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeAll>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Owned<BIGNUM> number_of(std::string_view bytes) {
  return Owned<BIGNUM>(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

EVP_PKEY* make_key(const char* type, OSSL_PARAM* params) {
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
  if (EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1) return nullptr;
  return key;
}

bool is_sound_point(EVP_PKEY* key) {
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  return context != nullptr && EVP_PKEY_public_check(context.get()) == 1;
}

/// One elliptic curve of ECDSA. Source: FIPS 186-4, D.1.2.
struct Curve {
  const char* name;
  std::string_view order;  ///< Big-endian, as long as each number of a signature.
};

const Curve& curve_of(KeyKind kind) {
  using namespace std::string_view_literals;
  static constexpr Curve kP256{
      "P-256",
      "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51"sv};
  static constexpr Curve kP384{
      "P-384",
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xff\xff\xff\xff\xff\xff\xff\xff\xc7\x63\x4d\x81\xf4\x37\x2d\xdf"
      "\x58\x1a\x0d\xb2\x48\xb0\xa7\x7a\xec\xec\x19\x6a\xcc\xc5\x29\x73"sv};
  static constexpr Curve kP521{
      "P-521",
      "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfa"
      "\x51\x86\x87\x83\xbf\x2f\x96\x6b\x7f\xcc\x01\x48\xf7\x09\xa5\xd0"
      "\x3b\xb5\xc9\xb8\x89\x9c\x47\xae\xbb\x6f\xb7\x1e\x91\x38\x64\x09"sv};
  static_assert(kP256.order.size() == 32 && kP384.order.size() == 48 && kP521.order.size() == 66);
  if (kind == KeyKind::p256) return kP256;
  return kind == KeyKind::p384 ? kP384 : kP521;
}

/// The digest of an algorithm. Null if the algorithm has its own.
const EVP_MD* digest_of(SignatureAlgorithm algorithm) {
  switch (algorithm) {
    case SignatureAlgorithm::rs256:
    case SignatureAlgorithm::ps256:
    case SignatureAlgorithm::es256:
      return EVP_sha256();
    case SignatureAlgorithm::rs384:
    case SignatureAlgorithm::ps384:
    case SignatureAlgorithm::es384:
      return EVP_sha384();
    case SignatureAlgorithm::rs512:
    case SignatureAlgorithm::ps512:
    case SignatureAlgorithm::es512:
      return EVP_sha512();
    case SignatureAlgorithm::eddsa:
      return nullptr;
  }
  return nullptr;
}

bool is_pss(SignatureAlgorithm algorithm) {
  return algorithm == SignatureAlgorithm::ps256 || algorithm == SignatureAlgorithm::ps384 ||
         algorithm == SignatureAlgorithm::ps512;
}

/// Whether a number of a signature is in range. Compared as bytes, since both have the same length.
bool is_within(std::string_view number, std::string_view order) {
  const bool is_zero = std::ranges::all_of(number, [](char byte) { return byte == 0; });
  return !is_zero && std::ranges::lexicographical_compare(number, order, [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  });
}

/// The signature in DER, for the library; empty if it fails.
std::string der_of(std::string_view r, std::string_view s) {
  const Owned<ECDSA_SIG> pair(ECDSA_SIG_new());
  Owned<BIGNUM> first = number_of(r);
  Owned<BIGNUM> second = number_of(s);
  if (pair == nullptr || first == nullptr || second == nullptr) return "";
  // It takes ownership of both, and fails only if one is null.
  if (ECDSA_SIG_set0(pair.get(), first.release(), second.release()) != 1) return "";
  const int size = i2d_ECDSA_SIG(pair.get(), nullptr);
  if (size <= 0) return "";
  std::string der(static_cast<std::size_t>(size), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  return i2d_ECDSA_SIG(pair.get(), &out) == size ? der : "";
}

bool verifies(EVP_PKEY* key, SignatureAlgorithm algorithm, std::string_view input,
              std::string_view signature) {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;  // Belongs to the context.
  if (context == nullptr ||
      EVP_DigestVerifyInit(context.get(), &options, digest_of(algorithm), nullptr, key) != 1) {
    return false;
  }
  if (is_pss(algorithm) &&
      (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(input),
                          input.size()) == 1;
}

}  // namespace

KeyKind kind_of(SignatureAlgorithm algorithm) {
  switch (algorithm) {
    case SignatureAlgorithm::es256:
      return KeyKind::p256;
    case SignatureAlgorithm::es384:
      return KeyKind::p384;
    case SignatureAlgorithm::es512:
      return KeyKind::p521;
    case SignatureAlgorithm::eddsa:
      return KeyKind::ed25519;
    default:
      return KeyKind::rsa;
  }
}

std::optional<SignatureAlgorithm> find_algorithm(std::string_view name) {
  for (const auto& [spelling, algorithm] : kSignatureAlgorithmNames)
    if (spelling == name) return algorithm;
  return std::nullopt;
}

void PublicKey::Free::operator()(evp_pkey_st* key) const {
  EVP_PKEY_free(key);
}

std::expected<PublicKey, KeyDefect> PublicKey::make_rsa(std::string_view modulus,
                                                        std::string_view exponent) {
  const NoOpensslErrors guard;
  if (modulus.empty() || exponent.empty() || modulus.front() == 0 || exponent.front() == 0) {
    return std::unexpected(KeyDefect::length);
  }
  // Checked before conversion, so that no computation uses a large number.
  if (modulus.size() > kModulusBitsMax / 8) return std::unexpected(KeyDefect::modulus_size);
  if (exponent.size() > kExponentBitsMax / 8 + 1) return std::unexpected(KeyDefect::exponent);
  const Owned<BIGNUM> n = number_of(modulus);
  const Owned<BIGNUM> e = number_of(exponent);
  if (n == nullptr || e == nullptr) return std::unexpected(KeyDefect::length);
  if (static_cast<std::size_t>(BN_num_bits(n.get())) < kModulusBitsMin) {
    return std::unexpected(KeyDefect::modulus_size);
  }
  if (BN_is_odd(n.get()) == 0) return std::unexpected(KeyDefect::modulus_even);
  if (BN_is_odd(e.get()) == 0 || BN_is_one(e.get()) || BN_num_bits(e.get()) > kExponentBitsMax) {
    return std::unexpected(KeyDefect::exponent);
  }
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return std::unexpected(KeyDefect::length);
  }
  const Owned<OSSL_PARAM> params(OSSL_PARAM_BLD_to_param(builder.get()));
  KeyPointer key(params == nullptr ? nullptr : make_key("RSA", params.get()));
  if (key == nullptr) return std::unexpected(KeyDefect::length);
  return PublicKey(KeyKind::rsa, std::move(key));
}

std::expected<PublicKey, KeyDefect> PublicKey::make_ec(KeyKind kind, std::string_view x,
                                                       std::string_view y) {
  const NoOpensslErrors guard;
  const Curve& curve = curve_of(kind);
  // The order of each of these curves is as long as its field.
  const std::size_t size = curve.order.size();
  if (x.size() != size || y.size() != size) return std::unexpected(KeyDefect::length);
  std::string point = "\x04";
  point.append(x).append(y);
  std::string group = curve.name;
  std::array<OSSL_PARAM, 3> params{
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  KeyPointer key(make_key("EC", params.data()));
  if (key == nullptr || !is_sound_point(key.get())) return std::unexpected(KeyDefect::point);
  return PublicKey(kind, std::move(key));
}

std::expected<PublicKey, KeyDefect> PublicKey::make_ed25519(std::string_view bytes) {
  const NoOpensslErrors guard;
  if (bytes.size() != 32) return std::unexpected(KeyDefect::length);
  if (!is_edwards_point(bytes)) return std::unexpected(KeyDefect::point);
  KeyPointer key(
      EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, bytes_of(bytes), bytes.size()));
  if (key == nullptr) return std::unexpected(KeyDefect::point);
  return PublicKey(KeyKind::ed25519, std::move(key));
}

std::expected<void, TokenFault> PublicKey::verify(SignatureAlgorithm algorithm,
                                                  std::string_view input,
                                                  std::string_view signature) const {
  const NoOpensslErrors guard;
  if (bartizan::kind_of(algorithm) != kind_) {
    return std::unexpected(TokenFault::key_other_algorithm);
  }
  const bool is_curve = kind_ != KeyKind::rsa && kind_ != KeyKind::ed25519;
  if (!is_curve) {
    const auto size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
    if (signature.size() != size) return std::unexpected(TokenFault::signature_length);
    if (verifies(key_.get(), algorithm, input, signature)) return {};
    return std::unexpected(TokenFault::signature_wrong);
  }
  const std::string_view order = curve_of(kind_).order;
  if (signature.size() != 2 * order.size()) return std::unexpected(TokenFault::signature_length);
  const std::string_view r = signature.substr(0, order.size());
  const std::string_view s = signature.substr(order.size());
  if (!is_within(r, order) || !is_within(s, order)) {
    return std::unexpected(TokenFault::signature_range);
  }
  if (verifies(key_.get(), algorithm, input, der_of(r, s))) return {};
  return std::unexpected(TokenFault::signature_wrong);
}

}  // namespace bartizan
