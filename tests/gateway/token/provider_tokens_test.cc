// Tokens as providers document them, under the configuration that a manual would recommend: the
// access token is mapped, the ID token is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

constexpr SignatureAlgorithm kRs256 = SignatureAlgorithm::rs256;

/// What a token is that a provider sends.
struct Provided {
  std::string_view name;
  std::string_view header;
  std::string claims;  ///< `$` stands for the time of the test, and `$+n` for later.
  std::string_view fault = "accepted";
  std::string principal = {};
  std::vector<std::string> scopes = {};
  std::string client = {};
  Claims mapped = {};
};

std::string with_times(std::string text) {
  const std::pair<std::string_view, std::int64_t> times[] = {
      {"$-300", -300}, {"$+3600", 3600}, {"$+86400", 86'400}, {"$", 0}};
  for (const auto& [mark, offset] : times) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark))
      text.replace(at, mark.size(), fmt::format("{}", kTokenNow + offset));
  }
  return text;
}

void expect_all(const IssuerConfig& issuer, const std::vector<Provided>& tokens) {
  const SigningKey& key = SigningKey::of(KeyKind::rsa);
  // As Entra publishes its keys, without `alg`.
  const std::string keys = key.jwk(R"("use":"sig","kid":"prov-1","x5t":"prov-1","x5c":["MII"],)");
  for (const Provided& c : tokens) {
    SCOPED_TRACE(c.name);
    const std::string token = mint(key, kRs256, c.header, with_times(c.claims));
    const auto judged = judge_token(token, issuer, keys);
    EXPECT_EQ(name_of(fault_of(judged)), c.fault);
    if (!judged) continue;
    EXPECT_EQ(judged->principal, c.principal);
    EXPECT_EQ(judged->scopes, c.scopes);
    EXPECT_EQ(judged->client, c.client);
    EXPECT_EQ(*judged->claims, c.mapped);
  }
}

constexpr std::string_view kJwt = R"({"typ":"JWT","alg":"RS256","kid":"prov-1"})";

// Microsoft identity platform, "Access token claims reference" and "ID token claims reference".
// `azpacr` is in access tokens of version 2 only; `roles` is in both kinds.
IssuerConfig entra_issuer() {
  IssuerConfig issuer;
  issuer.name = "entra";
  issuer.issuer = "https://login.microsoftonline.com/aaaabbbb-0000/v2.0";
  issuer.audiences = {"11112222-bbbb-3333"};
  issuer.algorithms = {kRs256};
  issuer.access_claims = {"azpacr"};
  issuer.require = {{"tid", {"aaaabbbb-0000"}}, {"ver", {"2.0"}}};
  issuer.principal = "oid";
  issuer.roles = {{"roles", {{"Tools.Operator", {"operator"}}, {"Tools.Batch", {"batch"}}}},
                  {"groups", {{"cccc-1111", {"staff"}}}}};
  issuer.permissions = {{"scp", {{"Tools.Read", {"read:tools"}}}}};
  issuer.attributes = {{"tenant", "tid"}};
  return issuer;
}

constexpr std::string_view kEntraStart =
    R"({"aud":"11112222-bbbb-3333","iss":"https://login.microsoftonline.com/aaaabbbb-0000/v2.0",
        "iat":$-300,"nbf":$-300,"exp":$+3600,"aio":"AXQAi","rh":"0.AAA","uti":"LZ1","ver":"2.0",
        "tid":"aaaabbbb-0000","oid":"00aa00aa-1111","sub":"pairwise-1")";

std::string entra(std::string_view rest) {
  return fmt::format("{},{}}}", kEntraStart, rest);
}

TEST(ProviderTokens, Entra) {
  const std::string user = R"("azp":"client-1","azpacr":"0","name":"Ann","scp":"Tools.Read User",)";
  const Claims tenant{{}, {}, {{"tenant", "aaaabbbb-0000"}}};
  expect_all(
      entra_issuer(),
      {{.name = "a user",
        .header = kJwt,
        .claims = entra(user + R"("roles":["Tools.Operator"],"groups":["cccc-1111","dddd"])"),
        .principal = "entra:00aa00aa-1111",
        .scopes = {"Tools.Read", "User"},
        .client = "client-1",
        .mapped = {{"operator", "staff"}, {"read:tools"}, tenant.attributes}},
       {.name = "a user without groups",
        .header = kJwt,
        .claims = entra(user + R"("amr":["pwd"])"),
        .principal = "entra:00aa00aa-1111",
        .scopes = {"Tools.Read", "User"},
        .client = "client-1",
        .mapped = {{}, {"read:tools"}, tenant.attributes}},
       {.name = "a user of too many groups",
        .header = kJwt,
        .claims = entra(
            user +
            R"("_claim_names":{"groups":"src1"},"_claim_sources":{"src1":{"endpoint":"https://x"}})"),
        .fault = "claim_overflow"},
       {.name = "a user of too many groups, by the implicit flow",
        .header = kJwt,
        .claims = entra(user + R"("hasgroups":true)"),
        .fault = "claim_overflow"},
       {.name = "an application for itself",
        .header = kJwt,
        .claims = entra(R"("azp":"client-2","azpacr":"1","idtyp":"app","roles":["Tools.Batch"])"),
        .principal = "entra:00aa00aa-1111",
        .scopes = {},
        .client = "client-2",
        .mapped = {{"batch"}, {}, tenant.attributes}},
       {.name = "another tenant",
        .header = kJwt,
        .claims = entra(user + R"("x":1)").replace(entra("").find("aaaabbbb-0000/v2.0"), 4, "eeee"),
        .fault = "issuer_other"},
       {.name = "ID token",
        .header = kJwt,
        .claims = entra(R"("name":"Ann","preferred_username":"ann@x","roles":["Tools.Operator"])"),
        .fault = "no_access_marker"},
       {.name = "ID token that answers a nonce",
        .header = kJwt,
        .claims = entra(R"("nonce":"678","name":"Ann","roles":["Tools.Operator"])"),
        .fault = "id_token"}});
}

// Keycloak, Server Administration Guide, "Protocol mappers" and "Audience support": `account` is
// the audience until a mapper adds another one.
TEST(ProviderTokens, Keycloak) {
  IssuerConfig issuer;
  issuer.name = "keycloak";
  issuer.issuer = "https://kc.example.com/realms/corp";
  issuer.audiences = {"account"};
  issuer.require = {{"typ", {"Bearer"}}, {"azp", {"mcp-desk"}}};
  issuer.roles = {{"/realm_access/roles", {{"tool-user", {"reader"}}}},
                  {"/resource_access/gateway/roles", {{"admin", {"admin"}}}}};
  issuer.attributes = {{"user", "preferred_username"}};
  const std::string start =
      R"({"exp":$+3600,"iat":$,"jti":"onrtac:77","iss":"https://kc.example.com/realms/corp",
          "sub":"6d4f-1","sid":"s-1","azp":"mcp-desk",)";
  const std::string_view access =
      R"("aud":"account","typ":"Bearer","acr":"1","allowed-origins":["/*"],
         "realm_access":{"roles":["offline_access","tool-user"]},
         "resource_access":{"gateway":{"roles":["admin"]},"account":{"roles":["view-profile"]}},
         "scope":"openid email profile","email_verified":false,"preferred_username":"ann"})";
  expect_all(issuer,
             {{.name = "access token",
               .header = kJwt,
               .claims = fmt::format("{}{}", start, access),
               .principal = "keycloak:6d4f-1",
               .scopes = {"email", "openid", "profile"},
               .client = "mcp-desk",
               .mapped = {{"admin", "reader"}, {}, {{"user", "ann"}}}},
              {.name = "ID token",
               .header = kJwt,
               .claims = start + R"("aud":"mcp-desk","typ":"ID","at_hash":"h","acr":"1"})",
               .fault = "id_token"},
              {.name = "ID token for an audience of ours, without a hash",
               .header = kJwt,
               .claims = start + R"("aud":"account","typ":"ID","acr":"1"})",
               .fault = "id_token"},
              {.name = "refresh token",
               .header = kJwt,
               .claims = start + R"("aud":"account","typ":"Refresh","scope":"openid"})",
               .fault = "other_use"},
              {.name = "of another client",
               .header = kJwt,
               .claims = fmt::format("{}{}", start, access).replace(start.find("mcp-desk"), 8, "x"),
               .fault = "requirement"}});
}

// Amazon Cognito, "Understanding the access token": there is no `aud`.
TEST(ProviderTokens, Cognito) {
  IssuerConfig issuer;
  issuer.name = "cognito";
  issuer.issuer = "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE";
  issuer.audiences = {"1example23456789"};
  issuer.audience_claim = "client_id";
  issuer.algorithms = {kRs256};
  issuer.require = {{"token_use", {"access"}}};
  issuer.roles = {{"cognito:groups", {{"testers", {"reader"}}}}};
  issuer.permissions = {{"scope", {{"gateway/tools.read", {"read:tools"}}}}};
  const std::string_view header = R"({"kid":"prov-1","alg":"RS256"})";
  const std::string start =
      R"({"sub":"aaaa-bbbb","cognito:groups":["testers"],
          "iss":"https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE",
          "origin_jti":"o-1","event_id":"e-1","auth_time":$-300,"exp":$+3600,"iat":$,"jti":"j-1",)";
  const std::string_view access = R"("token_use":"access","version":2,"username":"ann",
         "scope":"openid gateway/tools.read",)";
  expect_all(issuer,
             {{.name = "access token",
               .header = header,
               .claims = fmt::format(R"({}{}"client_id":"1example23456789"}})", start, access),
               .principal = "cognito:aaaa-bbbb",
               .scopes = {"gateway/tools.read", "openid"},
               .client = "1example23456789",
               .mapped = {{"reader"}, {"read:tools"}, {}}},
              {.name = "of another client",
               .header = header,
               .claims = fmt::format(R"({}{}"client_id":"other"}})", start, access),
               .fault = "audience_other"},
              {.name = "ID token",
               .header = header,
               .claims = start + R"("aud":"1example23456789","token_use":"id"})",
               .fault = "id_token"},
              {.name = "ID token with our client as a claim",
               .header = header,
               .claims = start + R"("client_id":"1example23456789","token_use":"id",
                                            "scope":"openid"})",
               .fault = "id_token"}});
}

// Okta, "Access tokens payload": of a custom authorization server.
TEST(ProviderTokens, Okta) {
  IssuerConfig issuer;
  issuer.name = "okta";
  issuer.issuer = "https://corp.okta.com/oauth2/default";
  issuer.audiences = {"api://default"};
  issuer.algorithms = {kRs256};
  issuer.access_claims = {"scp"};
  issuer.require = {{"cid", {"0oaclient"}}};
  issuer.roles = {{"groups", {{"Engineering", {"writer"}}}}};
  issuer.permissions = {{"scp", {{"tools.read", {"read:tools"}}}}};
  const std::string_view header = R"({"kid":"prov-1","alg":"RS256"})";
  const std::string start =
      R"({"ver":1,"iss":"https://corp.okta.com/oauth2/default","iat":$,"exp":$+3600,)";
  expect_all(
      issuer,
      {{.name = "access token",
        .header = header,
        .claims = start + R"("jti":"AT.0mP4","aud":"api://default","cid":"0oaclient",
                                    "uid":"00uid","auth_time":$,"scp":["tools.read","openid"],
                                    "sub":"ann@example.com","groups":["Engineering","Everyone"]})",
        .principal = "okta:ann@example.com",
        .scopes = {"openid", "tools.read"},
        .client = "0oaclient",
        .mapped = {{"writer"}, {"read:tools"}, {}}},
       {.name = "a service for itself",
        .header = header,
        .claims = start + R"("jti":"AT.1","aud":"api://default","cid":"0oaclient",
                                    "scp":["tools.read"],"sub":"0oaclient"})",
        .principal = "okta:0oaclient",
        .scopes = {"tools.read"},
        .client = "0oaclient",
        .mapped = {{}, {"read:tools"}, {}}},
       {.name = "ID token",
        .header = header,
        .claims = start + R"("jti":"ID.1","aud":"0oaclient","amr":["pwd"],"idp":"00o",
                                    "nonce":"n","at_hash":"h","sub":"00uid"})",
        .fault = "id_token"},
       {.name = "ID token without nonce and hash, for our audience",
        .header = header,
        .claims = start + R"("jti":"ID.1","aud":"api://default","amr":["pwd"],"sub":"00uid"})",
        .fault = "no_access_marker"}});
}

// Auth0, "Access token profiles" and "Role-based access control".
TEST(ProviderTokens, Auth0) {
  IssuerConfig issuer;
  issuer.name = "auth0";
  issuer.issuer = "https://my-domain.auth0.com/";
  issuer.audiences = {"https://gw.example.com/mcp"};
  issuer.algorithms = {kRs256};
  issuer.access_claims = {"scope", "permissions", "gty"};
  issuer.roles = {{"https://example.com/roles", {{"ops", {"operator"}}}}};
  issuer.permissions = {{"permissions", {{"read:tools", {"read:tools"}}}}};
  const std::string start = R"({"iss":"https://my-domain.auth0.com/","iat":$,"exp":$+86400,)";
  const std::string user = start + R"("sub":"auth0|123456","https://example.com/roles":["ops"],
      "aud":["https://gw.example.com/mcp","https://my-domain.auth0.com/userinfo"],
      "scope":"openid profile","permissions":["read:tools","write:tools"],)";
  expect_all(
      issuer,
      {{.name = "a user, by Auth0's own profile",
        .header = kJwt,
        .claims = user + R"("azp":"client-1"})",
        .principal = "auth0:auth0|123456",
        .scopes = {"openid", "profile"},
        .client = "client-1",
        .mapped = {{"operator"}, {"read:tools"}, {}}},
       {.name = "a user, by the profile of RFC 9068",
        .header = R"({"typ":"at+jwt","alg":"RS256","kid":"prov-1"})",
        .claims = user + R"("client_id":"client-1","jti":"73W"})",
        .principal = "auth0:auth0|123456",
        .scopes = {"openid", "profile"},
        .client = "client-1",
        .mapped = {{"operator"}, {"read:tools"}, {}}},
       {.name = "an application for itself, without scopes",
        .header = kJwt,
        .claims = start + R"("sub":"client-2@clients","aud":"https://gw.example.com/mcp",
                             "gty":"client-credentials","azp":"client-2"})",
        .principal = "auth0:client-2@clients",
        .scopes = {},
        .client = "client-2",
        .mapped = {}},
       {.name = "for another API",
        .header = kJwt,
        .claims =
            start + R"("sub":"a","aud":["https://other","https://my-domain.auth0.com/userinfo"],
                             "scope":"openid"})",
        .fault = "audience_other"},
       {.name = "ID token",
        .header = kJwt,
        .claims = start + R"("sub":"auth0|123456","aud":"client-1","nonce":"n","sid":"s"})",
        .fault = "id_token"},
       {.name = "ID token without a nonce",
        .header = kJwt,
        .claims = start + R"("sub":"auth0|123456","aud":"client-1","sid":"s"})",
        .fault = "no_access_marker"}});
}

}  // namespace
}  // namespace bartizan
