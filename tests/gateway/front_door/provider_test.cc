#include "gateway/front_door/provider.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

IssuerConfig with_groups(std::string issuer) {
  IssuerConfig provider;
  provider.issuer = std::move(issuer);
  provider.principal = "sub";
  provider.roles = {{"/realm/groups", {{"g", {"reader"}}}}};
  provider.attributes = {{"team", "department"}};
  return provider;
}

TEST(SelectClaims, KeepsWhatIsMappedAndNothingElse) {
  const struct {
    std::string_view name;
    std::string_view id_token;
    std::string_view user;
    std::string_view want;
    std::string issuer = "i";
  } rows[] = {
      {"what is mapped", R"({"iss":"i","sub":"u","email":"a@b","realm":{"groups":["g"]},"x":1})",
       "", R"({"iss":"i","sub":"u","realm":{"groups":["g"]}})"},
      {"two sources add up", R"({"sub":"u"})", R"({"sub":"u","department":"d","picture":"p"})",
       R"({"sub":"u","department":"d"})"},
      {"the ID token comes first", R"({"sub":"u","department":"a"})",
       R"({"sub":"u","department":"b"})", R"({"sub":"u","department":"a"})"},
      {"two users", R"({"sub":"u"})", R"({"sub":"v"})", "none"},
      {"no sub beside one", R"({"sub":"u"})", R"({"department":"d"})", "none"},
      {"without OpenID Connect", "", R"({"login":"ann","department":"d"})", R"({"department":"d"})",
       ""},
      {"what such a provider calls its issuer", "", R"({"iss":"other","department":"d"})",
       R"({"department":"d"})", ""},
      {"claims that were too large", R"({"sub":"u","_claim_names":{"groups":"src1"}})", "",
       R"({"sub":"u","_claim_names":{"groups":"src1"}})"},
      {"a member twice", R"({"sub":"u","sub":"v"})", "", "none"},
      {"no object", "[]", "", "none"},
      {"nothing", "", "", "{}"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(select_claims(row.id_token, row.user, with_groups(row.issuer)).value_or("none"),
              row.want)
        << row.name;
  }
  const std::string large = R"({"sub":"u","department":")" + std::string(40'000, 'x') + "\"}";
  EXPECT_EQ(select_claims(large, "", with_groups("i")), std::nullopt);
}

}  // namespace
}  // namespace bartizan
