#include "gateway/token/record_key.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/token/signed_token.h"
#include "gateway/token/verify_signature.h"
#include "tests/gateway/token/made_keys.h"

namespace bartizan {
namespace {

// RFC 8037, appendix A.1 to A.3, in PEM.
constexpr std::string_view kPrivate = R"(-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
)";
constexpr std::string_view kPublic = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
)";
constexpr std::string_view kThumbprint = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
constexpr std::string_view kType = "test+jwt";

TEST(RecordKey, IsNamedByTheThumbprintOfItsPublicPart) {
  const auto key = RecordKey::read(kPrivate);
  ASSERT_TRUE(key.has_value()) << key.error().detail;
  EXPECT_EQ(key->id(), kThumbprint);
  EXPECT_EQ(key->jwk(),
            R"({"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})");
  const auto signer = read_signer_key(kPublic);
  ASSERT_TRUE(signer.has_value()) << signer.error().detail;
  EXPECT_EQ(signer->id, kThumbprint);
}

TEST(RecordKey, SignsWhatItsPublicPartVerifies) {
  const auto key = RecordKey::read(kPrivate);
  const auto signer = read_signer_key(kPublic);
  ASSERT_TRUE(key.has_value() && signer.has_value());
  const auto jws = key->sign(kType, R"({"iss":"gateway"})");
  ASSERT_TRUE(jws.has_value()) << jws.error().detail;
  const auto token = SignedToken::read(*jws, kType);
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->jws().header.key_id, kThumbprint);
  EXPECT_EQ(token->claims().raw(), R"({"iss":"gateway"})");
  constexpr std::array kAlgorithms{SignatureAlgorithm::eddsa};
  EXPECT_TRUE(verify_signature(token->jws(), std::span(&*signer, 1), kAlgorithms).has_value());
  const auto stranger = read_signer_key(public_pem(make_ed25519_key()));
  const auto refused = verify_signature(token->jws(), std::span(&*stranger, 1), kAlgorithms);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), TokenFault::unknown_key);
}

TEST(RecordKey, IsOfOneTypeOfTokenAlone) {
  const auto key = RecordKey::read(kPrivate);
  ASSERT_TRUE(key.has_value());
  const auto jws = key->sign(kType, "{}");
  ASSERT_TRUE(jws.has_value());
  for (const std::string_view other : {"", "test", "TEST+JWT", "application/test+jwt", "jwt"}) {
    SCOPED_TRACE(other);
    const auto token = SignedToken::read(*jws, other);
    ASSERT_FALSE(token.has_value());
    EXPECT_EQ(token.error(), TokenFault::type_other);
  }
  const auto plain = key->sign("JWT", "{}");
  EXPECT_TRUE(SignedToken::read(*plain).has_value());
  EXPECT_FALSE(SignedToken::read(*plain, kType).has_value());
}

TEST(RecordKey, IsNothingElse) {
  const MadeKey own = make_ed25519_key();
  const MadeKey curve(EVP_EC_gen("P-256"));
  const MadeKey exchange(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"));
  const struct {
    std::string_view name;
    std::string pem;
    std::string_view want;  ///< Of a private key; empty for none.
    std::string_view want_public;
  } rows[] = {
      {"a private key", private_pem(own), "",
       "holds a private key, and the public one alone belongs here"},
      {"a public key", public_pem(own), "is not a private key in PEM without a passphrase", ""},
      {"a key under a passphrase", private_pem(own, "secret"),
       "is not a private key in PEM without a passphrase", "is not a public key in PEM"},
      {"a key of P-256", private_pem(curve), "is not an Ed25519 key",
       "holds a private key, and the public one alone belongs here"},
      {"a public key of P-256", public_pem(curve),
       "is not a private key in PEM without a passphrase", "is not an Ed25519 key"},
      {"a key for another purpose", private_pem(exchange), "is not an Ed25519 key",
       "holds a private key, and the public one alone belongs here"},
      {"a public point of a small order",
       "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
       "-----END PUBLIC KEY-----\n",
       "is not a private key in PEM without a passphrase", "is not a sound Ed25519 key"},
      {"nothing", "", "is not a private key in PEM without a passphrase",
       "is not a public key in PEM"},
      {"a text", "a secret", "is not a private key in PEM without a passphrase",
       "is not a public key in PEM"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto key = RecordKey::read(row.pem);
    EXPECT_EQ(key.has_value() ? "" : key.error().detail, row.want);
    const auto signer = read_signer_key(row.pem);
    EXPECT_EQ(signer.has_value() ? "" : signer.error().detail, row.want_public);
  }
}

}  // namespace
}  // namespace bartizan
