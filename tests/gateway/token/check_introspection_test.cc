#include "gateway/token/check_introspection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

using enum TokenFault;

std::expected<TokenIdentity, TokenFault> judge(JsonMembers claims,
                                               const IssuerConfig& issuer = corp_issuer(),
                                               const std::optional<Hash>& certificate = {}) {
  claims.emplace("active", "true");
  const std::string text = token_claims(claims);
  const Bytes bytes(text);
  JsonDocument document;
  const auto root = document.read(bytes);
  EXPECT_TRUE(root.has_value()) << text;
  return check_introspection(*root, issuer, kTokenNow, certificate);
}

TEST(CheckIntrospection, JudgesAnAnswerAsAToken) {
  IssuerConfig strict = corp_issuer();
  strict.require = {{"tid", {"t1"}}};
  const struct {
    std::string_view name;
    JsonMembers claims;
    std::optional<TokenFault> want;
    IssuerConfig issuer = corp_issuer();
  } rows[] = {
      {"as it should be", {}, std::nullopt},
      {"without a marker of its kind", {{"scope", ""}}, std::nullopt},
      {"without an issuer", {{"iss", ""}}, std::nullopt},
      {"of another issuer", {{"iss", R"("https://evil.test")"}}, issuer_other},
      {"for another audience", {{"aud", R"("https://other.test")"}}, audience_other},
      {"for nobody", {{"aud", ""}}, audience_missing},
      {"an ID token", {{"nonce", R"("n")"}}, id_token},
      {"a refresh token", {{"typ", R"("Refresh")"}}, other_use},
      {"expired", {{"exp", std::to_string(kTokenNow - 61)}}, expired},
      {"not yet", {{"nbf", std::to_string(kTokenNow + 100)}}, not_yet_valid},
      {"a requirement that it meets", {{"tid", R"("t1")"}}, std::nullopt, strict},
      {"… and one that it does not", {{"tid", R"("t2")"}}, requirement, strict},
      {"bound to a certificate that nobody showed",
       {{"cnf", R"({"x5t#S256":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})"}},
       certificate_missing},
      {"nobody", {{"sub", ""}}, principal_missing},
  };
  for (const auto& row : rows)
    EXPECT_EQ(name_of(fault_of(judge(row.claims, row.issuer))), name_of(row.want)) << row.name;
}

TEST(CheckIntrospection, HoldsForAsLongAsItsIssuerSays) {
  const IssuerConfig issuer = corp_issuer();
  EXPECT_EQ(judge({{"exp", std::to_string(kTokenNow + 100)}})->expires,
            kTokenNow + 100 + issuer.clock_skew.count());
  EXPECT_EQ(judge({{"exp", ""}})->expires, kTokenNow + issuer.max_lifetime.count());
}

}  // namespace
}  // namespace bartizan
