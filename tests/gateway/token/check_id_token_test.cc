#include "gateway/token/check_id_token.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "gateway/token/jwk_set.h"
#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

using enum TokenFault;

std::optional<TokenFault> judge(const JsonMembers& claims, const JsonMembers& header = {},
                                std::string_view nonce = "n-1") {
  const std::string keys =
      R"({"keys":[)" + SigningKey::of(KeyKind::p256).jwk("\"kid\":\"k1\",") + "]}";
  const auto set = read_jwk_set(Bytes(keys));
  JsonMembers all{{"aud", R"("gateway")"}, {"nonce", R"("n-1")"}, {"scope", ""}};
  for (const auto& [name, value] : claims)
    all.insert_or_assign(name, value);
  JsonMembers kind{{"typ", R"("JWT")"}};
  for (const auto& [name, value] : header)
    kind.insert_or_assign(name, value);
  const auto token = SignedToken::read(corp_token(all, kind));
  if (!token) return token.error();
  const IssuerConfig issuer = corp_issuer();
  const auto verified = verify_token(*token, issuer, set->keys);
  if (!verified) return verified.error();
  return fault_of(check_id_token(*verified, "gateway", nonce, kTokenNow));
}

TEST(IdToken, IsOfTheSignInThatTheGatewayBegan) {
  const struct {
    std::string_view name;
    JsonMembers claims;
    std::optional<TokenFault> want;
  } rows[] = {
      {"as it should be", {}, std::nullopt},
      {"one of several audiences", {{"aud", R"(["a","gateway"])"}, {"azp", R"("gateway")"}}, {}},
      {"several audiences, and nobody is meant", {{"aud", R"(["a","gateway"])"}}, audience_other},
      {"for another client", {{"aud", R"("other")"}}, audience_other},
      {"issued to another client", {{"azp", R"("other")"}}, audience_other},
      {"for nobody", {{"aud", ""}}, audience_missing},
      {"an audience that is not a text", {{"aud", "7"}}, audience_malformed},
      {"of another sign-in", {{"nonce", R"("n-2")"}}, other_use},
      {"of no sign-in", {{"nonce", ""}}, other_use},
      {"a nonce that is not a text", {{"nonce", "1"}}, other_use},
      {"expired", {{"exp", std::to_string(kTokenNow - 61)}}, expired},
      {"without an end", {{"exp", ""}}, expiry_missing},
      {"without a user", {{"sub", ""}}, subject_malformed},
      {"of another issuer", {{"iss", R"("https://evil.test")"}}, issuer_other},
  };
  for (const auto& row : rows)
    EXPECT_EQ(name_of(judge(row.claims)), name_of(row.want)) << row.name;
  EXPECT_EQ(name_of(judge({}, {{"typ", R"("at+jwt")"}})), name_of(other_use)) << "an access token";
  EXPECT_EQ(name_of(judge({{"nonce", ""}}, {}, "")), name_of({})) << "one that came with a refresh";
}

}  // namespace
}  // namespace bartizan
