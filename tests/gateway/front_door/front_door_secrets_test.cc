#include "gateway/front_door/front_door_secrets.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

TEST(FrontDoorSecrets, PkceIsThatOfTheStandard) {
  // RFC 7636 appendix B.
  const std::string verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const std::string challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  EXPECT_EQ(pkce_challenge(verifier), challenge);
  EXPECT_TRUE(is_pkce_verifier(verifier, challenge));
  EXPECT_FALSE(is_pkce_verifier(verifier, pkce_challenge("another")));
  EXPECT_FALSE(is_pkce_verifier(verifier + "=", pkce_challenge(verifier + "="))) << "a letter";
  const std::string brief(42, 'a');
  EXPECT_FALSE(is_pkce_verifier(brief, pkce_challenge(brief))) << "too short";
  const std::string lengthy(129, 'a');
  EXPECT_FALSE(is_pkce_verifier(lengthy, pkce_challenge(lengthy))) << "too long";
  EXPECT_FALSE(is_pkce_verifier("", ""));
}

TEST(FrontDoorSecrets, ARefreshTokenShowsWhoseItWas) {
  Random random;
  const std::string grant(32, 'a');
  const std::string key(64, 'b');
  const RefreshToken token = new_refresh_token(grant, key, random);
  const auto read = RefreshToken::read(token.text());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->grant, grant);
  EXPECT_EQ(read->secret, token.secret);
  EXPECT_TRUE(read->is_made_with(key));
  EXPECT_FALSE(read->is_made_with(std::string(64, 'c')));
  RefreshToken other = *read;
  other.grant = std::string(32, 'd');
  EXPECT_FALSE(other.is_made_with(key)) << "of another grant";
  other = *read;
  other.secret = new_secret(random);
  EXPECT_FALSE(other.is_made_with(key)) << "another secret";
  for (const std::string& text :
       {std::string(), std::string("btzr_"), token.text() + "A",
        token.text().substr(0, token.text().size() - 1), "btza_" + token.text().substr(5)}) {
    EXPECT_FALSE(RefreshToken::read(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace bartizan
