#include "gateway/token/sign_assertion.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>
#include <string_view>

#include "gateway/token/jwk_set.h"
#include "gateway/token/signed_token.h"
#include "gateway/token/verify_signature.h"
#include "tests/gateway/token/mint_token.h"

namespace bartizan {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;

std::string pem_of(EVP_PKEY* key, const char* passphrase = nullptr) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, passphrase == nullptr ? nullptr : EVP_aes_256_cbc(),
                           nullptr, 0, nullptr, const_cast<char*>(passphrase));
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// The public key as a number of its JWK.
std::string number_of(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  return bytes;
}

TEST(SignAssertion, IsVerifiedByThePublicKey) {
  const struct {
    std::string_view algorithm;
    Key key;
    KeyKind kind;
    std::size_t field;
  } rows[] = {
      {"RS256", Key(EVP_RSA_gen(2048)), KeyKind::rsa, 0},
      {"ES256", Key(EVP_EC_gen("P-256")), KeyKind::p256, 32},
      {"ES384", Key(EVP_EC_gen("P-384")), KeyKind::p384, 48},
      {"ES512", Key(EVP_EC_gen("P-521")), KeyKind::p521, 66},
      {"EdDSA", Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")), KeyKind::ed25519, 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.algorithm);
    const auto token = sign_assertion(pem_of(row.key.get()), "k7", R"({"iss":"gateway"})");
    ASSERT_TRUE(token.has_value()) << token.error().detail;
    const auto jws = read_compact_jws(*token);
    ASSERT_TRUE(jws.has_value());
    EXPECT_EQ(jws->header.key_id, "k7");
    EXPECT_EQ(jws->header.algorithm, *find_algorithm(row.algorithm));
    EXPECT_EQ(jws->payload.view(), R"({"iss":"gateway"})");
    const auto padded = [&row](std::string number) {
      return std::string(row.field - number.size(), '\0') + number;
    };
    std::expected<PublicKey, KeyDefect> key = std::unexpected(KeyDefect::length);
    if (row.kind == KeyKind::rsa) {
      key = PublicKey::make_rsa(number_of(row.key.get(), "n"), number_of(row.key.get(), "e"));
    } else if (row.kind == KeyKind::ed25519) {
      std::string raw(32, '\0');
      std::size_t size = raw.size();
      EVP_PKEY_get_raw_public_key(row.key.get(), reinterpret_cast<unsigned char*>(raw.data()),
                                  &size);
      key = PublicKey::make_ed25519(raw);
    } else {
      key = PublicKey::make_ec(row.kind, padded(number_of(row.key.get(), "qx")),
                               padded(number_of(row.key.get(), "qy")));
    }
    ASSERT_TRUE(key.has_value());
    EXPECT_TRUE(key->verify(jws->header.algorithm, jws->signing_input, jws->signature).has_value());
  }
}

TEST(SignAssertion, RefusesWhatIsNoKeyOfAClient) {
  const Key small(EVP_RSA_gen(1024));
  const Key odd(EVP_EC_gen("secp256k1"));
  const Key locked(EVP_EC_gen("P-256"));
  const struct {
    std::string_view name;
    std::string pem;
    std::string_view why;
  } rows[] = {
      {"nothing", "", "the client's key is not a private key in PEM without a passphrase"},
      {"with a passphrase", pem_of(locked.get(), "secret"),
       "the client's key is not a private key in PEM without a passphrase"},
      {"too short", pem_of(small.get()), "the client's key is an RSA key of less than 2048 bits"},
      {"another curve", pem_of(odd.get()),
       "the client's key is of a curve that JWS does not sign with"},
  };
  for (const auto& row : rows) {
    const auto token = sign_assertion(row.pem, "", "{}");
    EXPECT_EQ(token.has_value() ? "signed" : std::string(token.error().detail), row.why)
        << row.name;
    EXPECT_EQ(ERR_peek_error(), 0U) << "for whoever asks OpenSSL next on this thread";
  }
}

}  // namespace
}  // namespace bartizan
