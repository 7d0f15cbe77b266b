#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

constexpr std::string_view kIssuer =
    "[auth.issuer.corp]\nissuer = \"https://login.example.com\"\n"
    "audiences = [\"https://gw.example.com/mcp\"]\n";

LoadedConfig load(std::string_view text) {
  return load_config_text(std::string(kHead) + std::string(text), "/etc/b/c.toml");
}

std::string errors_of(std::string_view text) {
  std::string lines;
  for (const ConfigProblem& problem : load(text).problems) {
    if (problem.severity == ConfigProblem::Severity::error) lines += bartizan::text(problem) + "\n";
  }
  return lines;
}

TEST(IssuerErrors, SayWhatToWrite) {
  const std::string issuer(kIssuer);
  const struct {
    std::string_view name;
    std::string text;
    std::string_view problem;
  } rows[] = {
      {"the least", issuer, ""},
      {"all that an issuer can have", issuer + R"(audience_claim = "client_id"
jwks_url = "https://login.example.com/keys"
algorithms = ["RS256", "Ed25519"]
access_claims = ["scp"]
require = { tid = ["t"], azp = ["a", "b"] }
clock_skew = "30s"
max_lifetime = "1h"
principal = "/oid"
roles."/groups" = { g1 = ["reader"] }
permissions.scope = { "files:read" = ["read:files"] }
attributes = { team = "department" }
private_networks = "allow"
tls_ca = "roots.pem"
keys_max_age = "2h")",
       ""},
      {"a local one without TLS",
       "[auth.issuer.corp]\nissuer = \"http://127.0.0.1:8081/realm\"\naudiences = [\"a\"]", ""},
      {"no issuer", "[auth.issuer.corp]\naudiences = [\"a\"]",
       "/etc/b/c.toml:4:14: error: an issuer needs \"issuer\"; write it as the tokens have it in "
       "\"iss\", byte for byte\n"},
      {"without TLS elsewhere",
       "[auth.issuer.corp]\nissuer = \"http://login.example.com\"\naudiences = [\"a\"]",
       "/etc/b/c.toml:5:10: error: \"issuer\" is not a https:// URL: \"http://login.example.com\"; "
       "http:// is for 127.0.0.1 and localhost only; leave user names and fragments out\n"},
      {"no audience", "[auth.issuer.corp]\nissuer = \"https://login.example.com\"",
       "/etc/b/c.toml:4:14: error: an issuer needs \"audiences\"; write what tokens for this "
       "gateway have in \"aud\": without it, tokens for others would be accepted\n"},
      {"an empty list of audiences",
       "[auth.issuer.corp]\nissuer = \"https://login.example.com\"\naudiences = []",
       "/etc/b/c.toml:6:13: error: \"audiences\" is empty; write what tokens for this gateway have "
       "in \"aud\"\n"},
      {"a word of others", issuer + "audience = \"x\"",
       "/etc/b/c.toml:7:1: error: unknown key \"audience\" in auth.issuer.corp; did you mean "
       "\"audiences\"?\n"},
      {"keys from two places",
       issuer + "jwks_url = \"https://a.example/k\"\njwks_file = \"k.json\"",
       "/etc/b/c.toml:8:13: error: keys come from either \"jwks_url\" or \"jwks_file\"\n"},
      {"an algorithm that is never accepted", issuer + "algorithms = [\"HS256\"]",
       "/etc/b/c.toml:7:15: error: \"algorithms\" can hold \"RS256\", \"RS384\", \"RS512\", "
       "\"PS256\", \"PS384\", \"PS512\", \"ES256\", \"ES384\", \"ES512\", \"EdDSA\" or "
       "\"Ed25519\", not \"HS256\"; did you mean \"RS256\"?\n"},
      {"a role that is not there", issuer + "roles.groups = { g1 = [\"raeder\"] }",
       "/etc/b/c.toml:7:24: error: there is no role \"raeder\"; did you mean \"reader\"?\n"},
      {"what is not a permission", issuer + "permissions.scp = { x = [\"read files\"] }",
       "/etc/b/c.toml:7:26: error: \"read files\" is not a permission; write \"read:filesystem\", "
       "or "
       "\"read:*\" for all of that form\n"},
      {"a requirement that nobody meets", issuer + "require.tid = []",
       "/etc/b/c.toml:7:15: error: \"tid\" is empty\n"},
      {"one issuer twice",
       issuer + "[auth.issuer.again]\nissuer = \"https://login.example.com\"\naudiences = [\"a\"]",
       "/etc/b/c.toml:4:14: error: the issuers \"again\" and \"corp\" have the same \"issuer\"\n"},
      {"beside mode none", issuer + "[auth]\nmode = \"none\"\nprincipal = \"ann\"\n[principal.ann]",
       "/etc/b/c.toml:4:1: error: auth mode \"none\" would ignore the issuers\n"},
      {"scopes of an endpoint without a resource",
       issuer + "[endpoint.e]\npath = \"/e\"\nscopes = [\"a\"]",
       "/etc/b/c.toml:9:10: error: \"scopes\" is for endpoints with \"resource\" that take tokens "
       "of an issuer or a front door\n"},
      {"metadata at the root beside keys", issuer + R"([endpoint.e]
path = "/e"
auth = ["issuer"]
resource = "https://gw.example.com/e"
root_metadata = true
[endpoint.k]
path = "/k"
auth = ["api_key"]
[principal.ann]
[auth.api_key.k]
principal = "ann"
sha256 = "abababababababababababababababababababababababababababababababab")",
       "/etc/b/c.toml:7:11: error: metadata at the root would make clients with a key for \"k\" "
       "sign in; leave \"root_metadata\" out, and give \"resource\" a path\n"},
      {"a resource without a path beside keys", issuer + R"([endpoint.e]
path = "/e"
auth = ["issuer"]
resource = "https://gw.example.com"
[endpoint.k]
path = "/k"
auth = ["api_key"]
[principal.ann]
[auth.api_key.k]
principal = "ann"
sha256 = "abababababababababababababababababababababababababababababababab")",
       "/etc/b/c.toml:7:11: error: metadata at the root would make clients with a key for \"k\" "
       "sign in; leave \"root_metadata\" out, and give \"resource\" a path\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(errors_of(row.text), row.problem);
  }
}

TEST(IssuerErrors, OfASoundOneThereAreNone) {
  const IssuerConfig issuer = load(std::string(kIssuer) + R"(roles."/groups" = { g1 = ["reader"] }
permissions.scope = { "files:read" = ["read:files"] }
require.tid = ["t"]
max_lifetime = "25h")")
                                  .config.auth.issuers.at(0);
  EXPECT_EQ(issuer.name, "corp");
  EXPECT_EQ(issuer.roles.at("/groups").at("g1"), std::vector<std::string>{"reader"});
  EXPECT_EQ(issuer.permissions.at("scope").at("files:read"),
            std::vector<std::string>{"read:files"});
  EXPECT_EQ(issuer.require.at("tid"), std::vector<std::string>{"t"});
  EXPECT_EQ(issuer.max_lifetime, std::chrono::hours(25));
  EXPECT_EQ(issuer.clock_skew, std::chrono::seconds(60));
}

}  // namespace
}  // namespace bartizan
