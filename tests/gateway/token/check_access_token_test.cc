#include "gateway/token/check_access_token.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

using enum TokenFault;
using Want = std::optional<TokenFault>;

/// A row: claims instead of the usual ones, and what comes of them.
struct Row {
  std::string_view name;
  JsonMembers claims;
  Want want;
};

void expect_rows(const std::vector<Row>& rows, const IssuerConfig& issuer = corp_issuer(),
                 const std::optional<Hash>& certificate = {}) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto judged = judge_corp_token(corp_token(row.claims), issuer, certificate);
    EXPECT_EQ(name_of(fault_of(judged)), name_of(row.want));
  }
}

std::string at(std::int64_t seconds) {
  return fmt::format("{}", kTokenNow + seconds);
}

TEST(AccessToken, SaysWhoItIs) {
  IssuerConfig issuer = corp_issuer();
  issuer.roles = {{"scope", {{"tools:read", {"reader"}}}}};
  const std::string token = corp_token({{"scope", R"("tools:read openid tools:read")"},
                                        {"jti", R"("t-1")"},
                                        {"client_id", R"("desk")"},
                                        {"azp", R"("other")"}});
  const auto identity = judge_corp_token(token, issuer);
  ASSERT_TRUE(identity.has_value());
  EXPECT_EQ(identity->principal, "corp:u1");
  EXPECT_EQ(identity->issuer, "corp");
  EXPECT_EQ(identity->scopes, (std::vector<std::string>{"openid", "tools:read"}));
  EXPECT_EQ(identity->client, "desk");
  EXPECT_EQ(identity->token_id, "t-1");
  EXPECT_EQ(identity->expires, kTokenNow + 300 + 60);
  EXPECT_EQ(identity->certificate, std::nullopt);
  EXPECT_TRUE(identity->actors.empty());
  ASSERT_NE(identity->claims, nullptr);
  EXPECT_EQ(*identity->claims, (Claims{{"reader"}, {}, {}}));
}

TEST(AccessToken, WhoeverIsNotMappedMayNothing) {
  const auto identity = judge_corp_token(corp_token());
  ASSERT_TRUE(identity.has_value());
  ASSERT_NE(identity->claims, nullptr);
  EXPECT_EQ(*identity->claims, Claims());
}

TEST(AccessToken, IsNoOtherKindOfToken) {
  expect_rows({
      {"with a scope", {}, {}},
      {"with an empty scope", {{"scope", R"("")"}}, {}},
      {"with scp", {{"scope", ""}, {"scp", R"(["a"])"}}, {}},
      {"of Keycloak", {{"typ", R"("Bearer")"}}, {}},
      {"of Cognito", {{"token_use", R"("access")"}}, {}},
      {"with nothing that only access tokens have", {{"scope", ""}}, no_access_marker},
      {"with a scope of null", {{"scope", "null"}}, no_access_marker},
      {"with roles and azp, as ID tokens have",
       {{"scope", ""}, {"roles", "[]"}, {"azp", R"("a")"}},
       no_access_marker},
      {"nonce", {{"nonce", R"("n")"}}, id_token},
      {"nonce of null", {{"nonce", "null"}}, id_token},
      {"at_hash", {{"at_hash", R"("h")"}}, id_token},
      {"c_hash", {{"c_hash", R"("h")"}}, id_token},
      {"s_hash", {{"s_hash", R"("h")"}}, id_token},
      {"ID of Keycloak", {{"typ", R"("ID")"}}, id_token},
      {"ID of Cognito", {{"token_use", R"("id")"}}, id_token},
      {"refresh token of Keycloak", {{"typ", R"("Refresh")"}}, other_use},
      {"offline token of Keycloak", {{"typ", R"("Offline")"}}, other_use},
      {"other use", {{"token_use", R"("refresh")"}}, other_use},
      {"use that is not a text", {{"token_use", "1"}}, other_use},
      {"event", {{"events", "{}"}}, other_use},
  });
  const auto judge = [](const JsonMembers& claims, const JsonMembers& header) {
    return name_of(fault_of(judge_corp_token(corp_token(claims, header))));
  };
  // Its header says so: nothing more is needed, and nothing is forgiven.
  EXPECT_EQ(judge({{"scope", ""}}, {{"typ", R"("at+jwt")"}}), "accepted");
  EXPECT_EQ(judge({{"scope", ""}}, {{"typ", R"("JWT")"}}), "no_access_marker");
  EXPECT_EQ(judge({{"nonce", R"("n")"}}, {{"typ", R"("at+jwt")"}}), "id_token");
  IssuerConfig issuer = corp_issuer();
  issuer.access_claims = {};
  EXPECT_EQ(name_of(fault_of(judge_corp_token(corp_token(), issuer))), "no_access_marker");
  issuer.access_claims = {"/resource_access/gw"};
  expect_rows({{"marked below", {{"resource_access", R"({"gw":{}})"}}, {}},
               {"not marked", {{"resource_access", R"({"other":{}})"}}, no_access_marker}},
              issuer);
}

TEST(AccessToken, IsForUs) {
  expect_rows({
      {"one", {}, {}},
      {"the other", {{"aud", R"("gw")"}}, {}},
      {"one of several", {{"aud", R"(["account","gw"])"}}, {}},
      {"spelled with an escape", {{"aud", R"("\u0067w")"}}, {}},
      {"none", {{"aud", ""}}, audience_missing},
      {"null", {{"aud", "null"}}, audience_missing},
      {"somebody else", {{"aud", R"("account")"}}, audience_other},
      {"nobody", {{"aud", "[]"}}, audience_other},
      {"an empty text", {{"aud", R"("")"}}, audience_other},
      {"longer", {{"aud", R"("https://gw.test/mcp.evil.example")"}}, audience_other},
      {"shorter", {{"aud", R"("https://gw.test")"}}, audience_other},
      {"slash behind", {{"aud", R"("https://gw.test/mcp/")"}}, audience_other},
      {"other letter case", {{"aud", R"("GW")"}}, audience_other},
      {"blanks around", {{"aud", R"(" gw ")"}}, audience_other},
      {"two in one text", {{"aud", R"("gw account")"}}, audience_other},
      {"a number", {{"aud", "1"}}, audience_malformed},
      {"an object", {{"aud", R"({"gw":1})"}}, audience_malformed},
      {"a list in the list", {{"aud", R"([["gw"]])"}}, audience_malformed},
      {"ours beside what is not a text", {{"aud", R"(["gw",null])"}}, audience_malformed},
  });
  IssuerConfig issuer = corp_issuer();
  issuer.audience_claim = "client_id";
  expect_rows({{"by another claim", {{"aud", ""}, {"client_id", R"("gw")"}}, {}},
               {"aud counts no more", {}, audience_missing},
               {"of another client", {{"client_id", R"("other")"}}, audience_other}},
              issuer);
}

TEST(AccessToken, HoldsInItsTime) {
  expect_rows({
      {"now", {}, {}},
      {"as a number with a point", {{"exp", fmt::format("{}.0", kTokenNow + 300)}}, {}},
      {"expired within the skew", {{"iat", at(-300)}, {"exp", at(-59)}}, {}},
      {"expired at its edge", {{"iat", at(-300)}, {"exp", at(-60)}}, expired},
      {"expired long ago", {{"iat", ""}, {"exp", "1"}}, expired},
      {"expired at 0", {{"iat", ""}, {"exp", "0"}}, expired},
      {"begins within the skew", {{"nbf", at(60)}}, {}},
      {"begins beyond it", {{"nbf", at(61)}}, not_yet_valid},
      {"issued within the skew", {{"iat", at(60)}}, {}},
      {"issued beyond it", {{"iat", at(61)}}, issued_later},
      {"not told when it was issued", {{"iat", ""}}, {}},
      {"lives for a day", {{"exp", at(86'400)}}, {}},
      {"lives a second longer", {{"exp", at(86'401)}}, lifetime_long},
      {"lived for a day already", {{"iat", at(-86'000)}, {"exp", at(400)}}, {}},
      {"lived, and will, longer", {{"iat", at(-86'000)}, {"exp", at(401)}}, lifetime_long},
      {"lives longer from now", {{"iat", ""}, {"exp", at(86'401)}}, lifetime_long},
      {"lives until 9999", {{"exp", "253402300799"}}, lifetime_long},
      {"begins when it ends", {{"nbf", at(30)}, {"exp", at(30)}}, times_contradict},
      {"issued when it ends", {{"iat", at(30)}, {"exp", at(30)}}, times_contradict},

      {"no end", {{"exp", ""}}, expiry_missing},
      {"end of null", {{"exp", "null"}}, expiry_malformed},
      {"end as a text", {{"exp", R"("1795262700")"}}, expiry_malformed},
      {"end with a fraction", {{"exp", fmt::format("{}.5", kTokenNow + 300)}}, expiry_malformed},
      {"end beyond all times", {{"exp", "1e300"}}, expiry_malformed},
      {"end after 9999", {{"exp", "253402300800"}}, expiry_malformed},
      {"end at the end of the numbers", {{"exp", "9223372036854775807"}}, expiry_malformed},
      {"end beyond them", {{"exp", "18446744073709551616"}}, expiry_malformed},
      {"end before 1970", {{"exp", "-1"}}, expiry_malformed},
      {"list of ends", {{"exp", fmt::format("[{}]", kTokenNow + 300)}}, expiry_malformed},
      {"begin as a text", {{"nbf", R"("1")"}}, not_before_malformed},
      {"begin of null", {{"nbf", "null"}}, not_before_malformed},
      {"issue as a boolean", {{"iat", "true"}}, issued_at_malformed},
  });
  IssuerConfig issuer = corp_issuer();
  issuer.clock_skew = std::chrono::seconds(0);
  issuer.max_lifetime = std::chrono::seconds(300);
  expect_rows({{"five minutes", {}, {}},
               {"a second more", {{"exp", at(301)}}, lifetime_long},
               {"ends now", {{"iat", at(-300)}, {"exp", at(0)}}, expired},
               {"ends in a second", {{"iat", at(-299)}, {"exp", at(1)}}, {}},
               {"begins in a second", {{"nbf", at(1)}}, not_yet_valid}},
              issuer);
}

TEST(AccessToken, HasWhatIsRequired) {
  IssuerConfig issuer = corp_issuer();
  issuer.require = {{"tid", {"t1", "t2"}}, {"/azp", {"desk"}}};
  const JsonMembers right{{"tid", R"("t2")"}, {"azp", R"("desk")"}};
  const auto but = [&](std::string_view name, std::string_view value) {
    JsonMembers claims = right;
    claims[std::string(name)] = value;
    return claims;
  };
  expect_rows({{"both", right, {}},
               {"in a list", but("tid", R"(["t0","t1"])"), {}},
               {"not the one", but("tid", ""), requirement},
               {"not the other", but("azp", ""), requirement},
               {"another value", but("tid", R"("t3")"), requirement},
               {"longer", but("tid", R"("t1 ")"), requirement},
               {"other letter case", but("tid", R"("T1")"), requirement},
               {"an empty list", but("tid", "[]"), requirement},
               {"null", but("tid", "null"), requirement},
               {"an object", but("tid", R"({"t1":1})"), claim_malformed},
               {"not all", but("_claim_names", R"({"tid":"src1"})"), claim_overflow}},
              issuer);
  issuer.require = {{"email_verified", {"true"}}, {"level", {"2"}}, {"scp", {"tools"}}};
  expect_rows({{"boolean, number and word",
                {{"email_verified", "true"}, {"level", "2"}, {"scp", R"("files tools")"}},
                {}},
               {"part of a word",
                {{"email_verified", "true"}, {"level", "2"}, {"scp", R"("files:tools")"}},
                requirement},
               {"not verified",
                {{"email_verified", "false"}, {"level", "2"}, {"scp", R"("tools")"}},
                requirement}},
              issuer);
  // What may be nothing at all is never met.
  issuer.require = {{"tid", {}}};
  expect_rows({{"no value that would do", {{"tid", R"("t1")"}}, requirement}}, issuer);
}

TEST(AccessToken, IsShownByWhomItIsBoundTo) {
  Hash shown{};
  shown.fill(7);
  const std::string digest = encode_base64url(std::string(32, '\x07'));
  const auto bound = [](std::string_view text) {
    return JsonMembers{{"cnf", fmt::format(R"({{"x5t#S256":"{}"}})", text)}};
  };
  const JsonMembers two{{"cnf", fmt::format(R"({{"x5t#S256":"{}","jkt":"x"}})", digest)}};
  const std::vector<Row> malformed{
      {"nothing in it", {{"cnf", "{}"}}, confirmation_malformed},
      {"null", {{"cnf", "null"}}, confirmation_malformed},
      {"a text", {{"cnf", R"("x")"}}, confirmation_malformed},
      {"a list", {{"cnf", R"(["x"])"}}, confirmation_malformed},
      {"digest too short", bound(digest.substr(2)), confirmation_malformed},
      {"digest padded", bound(digest + "="), confirmation_malformed},
      {"digest in hexadecimal digits", bound(std::string(64, '0')), confirmation_malformed},
      {"digest that is not a text", {{"cnf", R"({"x5t#S256":1})"}}, confirmation_malformed},
      {"proof of possession", {{"cnf", R"({"jkt":"x"})"}}, confirmation_unknown},
      {"a key", {{"cnf", R"({"jwk":{}})"}}, confirmation_unknown},
      {"certificate by SHA-1", {{"cnf", R"({"x5t":"x"})"}}, confirmation_unknown},
      {"certificate and a key", two, confirmation_unknown},
  };
  expect_rows(malformed);
  expect_rows(malformed, corp_issuer(), shown);
  expect_rows({{"not bound, none shown", {}, {}},
               {"bound, none shown", bound(digest), certificate_missing}});
  expect_rows(
      {{"not bound", {}, {}},
       {"bound", bound(digest), {}},
       {"bound to another", bound(encode_base64url(std::string(32, '\x08'))), certificate_other},
       {"bound to its beginning", bound(encode_base64url(std::string(31, '\x07') + '\x08')),
        certificate_other}},
      corp_issuer(), shown);
  const auto identity = judge_corp_token(corp_token(bound(digest)), corp_issuer(), shown);
  ASSERT_TRUE(identity.has_value());
  EXPECT_EQ(identity->certificate, shown);
}

TEST(AccessToken, NamesOnePrincipal) {
  IssuerConfig by_oid = corp_issuer();
  by_oid.principal = "/user/oid";
  const std::string longest(256, 'u');
  const struct {
    std::string_view name;
    JsonMembers claims;
    std::string want;  ///< The id, or the fault.
    IssuerConfig issuer = corp_issuer();
  } cases[] = {
      {"subject", {}, "corp:u1"},
      {"subject with a colon", {{"sub", R"("a:b")"}}, "corp:a:b"},
      {"subject of Auth0", {{"sub", R"("auth0|123456")"}}, "corp:auth0|123456"},
      {"letters of other scripts", {{"sub", R"("Zo\u00eb")"}}, "corp:Zo\xc3\xab"},
      {"as long as may be",
       {{"sub", fmt::format(R"("{}")", longest)}},
       fmt::format("corp:{}", longest)},
      {"too long", {{"sub", fmt::format(R"("{}u")", longest)}}, "principal_long"},
      {"empty", {{"sub", R"("")"}}, "principal_malformed"},
      {"none", {{"sub", ""}}, "principal_missing"},
      {"null", {{"sub", "null"}}, "subject_malformed"},
      {"a number", {{"sub", "1"}}, "subject_malformed"},
      {"by a pointer", {{"user", R"({"oid":"o-1"})"}}, "corp:o-1", by_oid},
      {"by a pointer, without a subject",
       {{"sub", ""}, {"user", R"({"oid":"o-1"})"}},
       "corp:o-1",
       by_oid},
      {"not the subject instead", {}, "principal_missing", by_oid},
      {"no text", {{"user", R"({"oid":7})"}}, "principal_malformed", by_oid},
      {"a control character", {{"user", R"({"oid":"o\u0007"})"}}, "principal_malformed", by_oid},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto judged = judge_corp_token(corp_token(c.claims), c.issuer);
    EXPECT_EQ(judged ? judged->principal : entry_of(judged.error()).name, c.want);
  }
}

TEST(AccessToken, KeepsWhoActs) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
      text = fmt::format(R"({{"sub":"a{}"{}{}}})", i, text.empty() ? "" : R"(,"act":)", text);
    return text;
  };
  const struct {
    std::string_view name;
    std::string act;
    std::vector<std::string> want;
    Want fault = {};
  } cases[] = {
      {"nobody", "", {}},
      {"one", R"({"sub":"agent"})", {"corp:agent"}},
      {"the present one first", nested(2), {"corp:a1", "corp:a0"}},
      {"of the issuer, by its name", R"({"sub":"agent","iss":"https://as.test"})", {"corp:agent"}},
      {"of another issuer", R"({"sub":"agent","iss":"https://b.test"})", {"https://b.test:agent"}},
      {"as many as may be",
       nested(8),
       {"corp:a7", "corp:a6", "corp:a5", "corp:a4", "corp:a3", "corp:a2", "corp:a1", "corp:a0"}},
      {"one more", nested(9), {}, actors_deep},
      {"a text", R"("agent")", {}, actor_malformed},
      {"null", "null", {}, actor_malformed},
      {"without a subject", R"({"client_id":"c"})", {}, actor_malformed},
      {"with a control character", R"({"sub":"a\u0000"})", {}, actor_malformed},
      {"issuer that is not a text", R"({"sub":"a","iss":1})", {}, actor_malformed},
      {"the one before without a subject", R"({"sub":"a","act":{}})", {}, actor_malformed},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto judged = judge_corp_token(corp_token({{"act", c.act}}));
    EXPECT_EQ(name_of(fault_of(judged)), name_of(c.fault));
    if (judged) EXPECT_EQ(judged->actors, c.want);
  }
}

}  // namespace
}  // namespace bartizan
