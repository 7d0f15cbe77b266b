#include "gateway/token/map_claims.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/token/claim_values.h"
#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

using enum TokenFault;
using Names = std::vector<std::string>;

/// An object of JSON, read.
class Json {
 public:
  explicit Json(std::string_view text) : bytes_(text) {
    EXPECT_TRUE(document_.read(bytes_).has_value()) << text;
  }
  JsonValue root() const { return document_.root(); }

 private:
  Bytes bytes_;
  JsonDocument document_;
};

TEST(MapClaims, AddsUpWhatIsMapped) {
  IssuerConfig issuer = corp_issuer();
  issuer.roles = {{"groups", {{"g1", {"reader"}}, {"g2", {"writer", "reader"}}}},
                  {"/realm_access/roles", {{"ops", {"operator"}}}},
                  {"https://example.com/roles", {{"boss", {"admin"}}}},
                  {"scope", {{"tools:all", {"writer"}}}},
                  {"scp", {{"tools", {"reader"}}}},
                  {"/team", {{"7", {"seven"}}, {"true", {"truth"}}}}};
  const struct {
    std::string_view name;
    std::string_view claims;
    Names want;
    std::optional<TokenFault> fault = {};
  } cases[] = {
      {"nothing", "{}", {}},
      {"a list", R"({"groups":["g1","g9"]})", {"reader"}},
      {"a text", R"({"groups":"g1"})", {"reader"}},
      {"a text is not a list of words", R"({"groups":"g1 g2"})", {}},
      {"each once", R"({"groups":["g2","g1","g2"]})", {"reader", "writer"}},
      {"by a pointer", R"({"realm_access":{"roles":["ops"]}})", {"operator"}},
      {"the pointer's name is not a claim", R"({"/realm_access/roles":["ops"]})", {}},
      {"by a name with slashes", R"({"https://example.com/roles":["boss"]})", {"admin"}},
      {"words of scope", R"({"scope":"openid tools:all"})", {"writer"}},
      {"words of scp", R"({"scp":"tools files"})", {"reader"}},
      {"list of scp", R"({"scp":["files","tools"]})", {"reader"}},
      {"several sources", R"({"groups":["g1"],"scope":"tools:all"})", {"reader", "writer"}},
      {"a number", R"({"team":7})", {"seven"}},
      {"a number of another spelling", R"({"team":7.0})", {"seven"}},
      {"a boolean", R"({"team":[true]})", {"truth"}},
      {"null", R"({"groups":null})", {}},
      {"an empty list", R"({"groups":[]})", {}},
      {"longer", R"({"groups":["g1x"]})", {}},
      {"other letter case", R"({"groups":["G1"]})", {}},
      {"a claim of another name", R"({"group":["g1"],"Groups":["g1"]})", {}},
      {"an object", R"({"groups":{"g1":true}})", {}, claim_malformed},
      {"a list of lists", R"({"groups":[["g1"]]})", {}, claim_malformed},
      {"null in a list", R"({"groups":["g1",null]})", {}, claim_malformed},
      {"a fraction", R"({"team":7.5})", {}, claim_malformed},
      {"a list as scope", R"({"scope":["tools:all"]})", {}, scope_malformed},
      {"a number as scp", R"({"scp":7})", {}, scope_malformed},
      {"a blank within one scp", R"({"scp":["files tools"]})", {}, scope_malformed},
      {"a tab between words", R"({"scope":"openid\ttools:all"})", {}, scope_malformed},
      {"groups that did not fit", R"({"_claim_names":{"groups":"src1"}})", {}, claim_overflow},
      {"some did", R"({"groups":["g1"],"_claim_names":{"groups":"src1"}})", {}, claim_overflow},
      {"below what did not fit", R"({"_claim_names":{"realm_access":"s"}})", {}, claim_overflow},
      {"what did not fit is not mapped",
       R"({"groups":["g1"],"_claim_names":{"wids":"src1"}})",
       {"reader"}},
      {"has groups", R"({"hasgroups":true})", {}, claim_overflow},
      {"has groups, as a text", R"({"hasgroups":"true"})", {}, claim_overflow},
      {"has none", R"({"hasgroups":false})", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto mapped = map_claims(Json(c.claims).root(), issuer);
    EXPECT_EQ(name_of(fault_of(mapped)), name_of(c.fault));
    if (mapped) EXPECT_EQ(mapped->roles, c.want);
  }
}

TEST(MapClaims, OverflowOfWhatIsNotMappedRefusesNothing) {
  const Json claims(R"({"hasgroups":true,"_claim_names":{"groups":"src1"}})");
  EXPECT_TRUE(map_claims(claims.root(), corp_issuer()).has_value());
}

TEST(MapClaims, PermissionsAndAttributes) {
  IssuerConfig issuer = corp_issuer();
  issuer.permissions = {{"permissions", {{"read:files", {"read:filesystem", "list:filesystem"}}}},
                        {"scope", {{"files", {"read:filesystem"}}}}};
  issuer.attributes = {{"tenant", "tid"}, {"level", "/acr/level"}};
  const struct {
    std::string_view name;
    std::string_view claims;
    Claims want;
    std::optional<TokenFault> fault = {};
  } cases[] = {
      {"nothing", "{}", {}},
      {"permissions",
       R"({"permissions":["read:files","x"],"scope":"files"})",
       {{}, {"list:filesystem", "read:filesystem"}, {}}},
      {"one attribute", R"({"tid":"t1"})", {{}, {}, {{"tenant", "t1"}}}},
      {"both", R"({"tid":"t1","acr":{"level":2}})", {{}, {}, {{"level", "2"}, {"tenant", "t1"}}}},
      {"attribute of null", R"({"tid":null})", {}},
      {"attribute as a list", R"({"tid":["t1"]})", {}, attribute_malformed},
      {"attribute as an object", R"({"tid":{}})", {}, claim_malformed},
      {"attribute with a line end", R"({"tid":"t1\n"})", {}, attribute_malformed},
      {"attribute that did not fit", R"({"_claim_names":{"tid":"s"}})", {}, claim_overflow},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto mapped = map_claims(Json(c.claims).root(), issuer);
    EXPECT_EQ(name_of(fault_of(mapped)), name_of(c.fault));
    if (mapped) EXPECT_EQ(*mapped, c.want);
  }
}

TEST(Scopes, AreWordsOfBothClaims) {
  const struct {
    std::string_view name;
    std::string_view claims;
    std::optional<Names> want;
  } cases[] = {
      {"none", "{}", Names()},
      {"empty", R"({"scope":""})", Names()},
      {"words", R"({"scope":"b a b"})", Names{"a", "b"}},
      {"blanks around", R"({"scope":" a  b "})", Names{"a", "b"}},
      {"both", R"({"scope":"a","scp":["b"]})", Names{"a", "b"}},
      {"a URL", R"({"scope":"https://example.com/files.read"})",
       Names{"https://example.com/files.read"}},
      {"null", R"({"scope":null})", Names()},
      {"list as scope", R"({"scope":["a"]})", {}},
      {"object as scp", R"({"scp":{}})", {}},
      {"quote", R"({"scope":"a\"b"})", {}},
      {"backslash", R"({"scope":"a\\b"})", {}},
      {"line end", R"({"scope":"a\nb"})", {}},
      {"NUL", R"({"scope":"a\u0000b"})", {}},
      {"letter of another script", R"({"scope":"\u00e9"})", {}},
      {"empty word in a list", R"({"scp":[""]})", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto scopes = read_scopes(Json(c.claims).root());
    ASSERT_EQ(scopes.has_value(), c.want.has_value());
    if (scopes) EXPECT_EQ(*scopes, *c.want);
    if (!scopes) EXPECT_EQ(scopes.error(), scope_malformed);
  }
}

}  // namespace
}  // namespace bartizan
