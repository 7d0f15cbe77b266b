// Front doors, introspection, certificates and proxies: what the loader takes, and what it says.
#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

constexpr std::string_view kDoor = R"([state]
file = "state.db"
[endpoint.people]
path = "/mcp"
resource = "https://gw.example.com/mcp"
[auth.front_door.door]
issuer = "https://gw.example.com/sign-in"
[auth.front_door.door.provider]
issuer = "https://login.example.com"
client_id = "gateway"
client_secret = "env:SECRET"
)";

constexpr std::string_view kTls = R"([listen.tls]
cert = "c.pem"
key = "file:k.pem"
client_ca = "ca.pem"
[principal.ci]
)";

std::string errors_of(std::string_view text) {
  const LoadedConfig loaded =
      load_config_text(std::string(kHead) + std::string(text), "/etc/b/c.toml");
  std::string lines;
  for (const ConfigProblem& problem : loaded.problems) {
    if (problem.severity == ConfigProblem::Severity::error) lines += bartizan::text(problem) + "\n";
  }
  return lines;
}

/// The text with its first `from` replaced.
std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return changed.replace(at, from.size(), to);
}

struct Row {
  std::string_view name;
  std::string text;
  std::string_view problem;  ///< A part of what is said; empty where nothing may be said.
};

void expect_rows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string errors = errors_of(row.text);
    if (row.problem.empty()) {
      EXPECT_EQ(errors, "");
    } else {
      EXPECT_TRUE(errors.contains(row.problem)) << errors;
    }
  }
}

TEST(FrontDoorErrors, SayWhatToWrite) {
  const std::string door(kDoor);
  const Row rows[] = {
      {"the least", door, ""},
      {"a provider without OpenID Connect",
       with(door, "issuer = \"https://login.example.com\"\n",
            "authorize_url = \"https://a.example/a\"\ntoken_url = \"https://a.example/t\"\n"
            "user_url = \"https://a.example/u\"\n"),
       ""},
      {"… that says not where it is",
       with(door, "issuer = \"https://login.example.com\"\n",
            "token_url = \"https://a.example\"\n"),
       "c.toml:11:23: error: a provider without \"issuer\" needs \"authorize_url\""},
      {"no state file", with(door, "[state]\nfile = \"state.db\"\n", ""),
       "a front door needs [state]: sign-ins outlive the process there"},
      {"nobody uses it", with(door, "path = \"/mcp\"\n", "path = \"/mcp\"\nauth = [\"api_key\"]\n"),
       "no endpoint takes tokens of this front door; write auth = [\"front_door.door\"]"},
      {"no path", with(door, "/sign-in", ""),
       "\"issuer\" needs a plain path without a slash at its end, which "
       "\"https://gw.example.com\" has not"},
      {"a slash at its end", with(door, "/sign-in", "/sign-in/"), "without a slash at its end"},
      {"capitals", with(door, "https://gw.example.com/sign-in", "https://GW.example.com/sign-in"),
       "\"issuer\" is not spelled as browsers spell it"},
      {"a port that is understood",
       with(door, "https://gw.example.com/sign-in", "https://gw.example.com:443/sign-in"),
       "\"issuer\" is not spelled as browsers spell it"},
      {"without TLS", with(door, "https://gw.example.com/sign-in", "http://gw.example.com/sign-in"),
       "\"issuer\" is not a https:// URL"},
      {"the path of an endpoint", with(door, "path = \"/mcp\"", "path = \"/sign-in/token\""),
       "the path of the endpoint \"people\" is that of the front door \"door\""},
      {"a path that only begins so", with(door, "path = \"/mcp\"", "path = \"/sign-ins\""), ""},
      {"no provider",
       with(door,
            "[auth.front_door.door.provider]\nissuer = "
            "\"https://login.example.com\"\nclient_id = \"gateway\"\n"
            "client_secret = \"env:SECRET\"\n",
            ""),
       "a front door needs a \"provider\""},
      {"no client", with(door, "client_id = \"gateway\"\n", ""), "\"client_id\" is needed"},
      {"no proof", with(door, "client_secret = \"env:SECRET\"\n", ""),
       "\"client_secret\" or \"client_key\" is needed"},
      {"two proofs", door + "client_key = \"file:k.pem\"\n",
       "\"client_secret\" and \"client_key\" are two proofs"},
      {"the secret itself", with(door, "env:SECRET", "s3cret"), "c.toml:14:17: error: "},
      {"a key's id beside a secret", door + "key_id = \"1\"\n", "\"key_id\" is for \"client_key\""},
      {"scopes without openid", door + "scopes = [\"email\"]\n",
       "\"scopes\" lacks \"openid\"; without it the provider sends no ID token"},
      {"a role that is not there", door + "roles.groups = { g = [\"raeder\"] }\n",
       "there is no role \"raeder\""},
      {"an issuer of that name",
       door + "[auth.issuer.door]\nissuer = \"https://a.example\"\naudiences = [\"a\"]\n",
       "there is an issuer \"door\", too: both would name principals \"door:…\""},
      {"two at one path",
       door + "[auth.front_door.other]\nissuer = \"https://other.example.com/sign-in\"\n"
              "provider = { issuer = \"https://a.example\", client_id = \"a\", client_secret = "
              "\"env:A\" }\n",
       "have \"issuer\" with the same path"},
      {"a client",
       door + "[auth.front_door.door.client.cli]\nredirect_uris = "
              "[\"http://127.0.0.1/cb\", \"cursor://a.b/cb\"]\n",
       ""},
      {"a client that runs scripts",
       door + "[auth.front_door.door.client.cli]\nredirect_uris = [\"javascript:alert(1)\"]\n",
       "\"javascript:alert(1)\" has a scheme that leads to no application of its own"},
      {"a client without redirects", door + "[auth.front_door.door.client.cli]\n",
       "a client needs \"redirect_uris\""},
      {"a scope with a blank", door + "[auth.front_door.door.scopes]\n\"a b\" = [\"reader\"]\n",
       "\"a b\" is not a scope"},
      {"an endpoint's scope that there is",
       with(door, "/mcp\"\n[auth", "/mcp\"\nscopes = [\"tools:read\"]\n[auth") +
           "[auth.front_door.door.scopes]\n\"tools:read\" = []\n",
       ""},
      {"an endpoint's scope that there is not",
       with(door, "/mcp\"\n[auth", "/mcp\"\nscopes = [\"tools:raed\"]\n[auth") +
           "[auth.front_door.door.scopes]\n\"tools:read\" = []\n",
       "\"tools:raed\" is not a scope of [auth.front_door.door.scopes]; did you mean "
       "\"tools:read\"?"},
      {"a token that lives for days",
       with(door, "/sign-in\"\n", "/sign-in\"\naccess_token_lifetime = \"48h\"\n"),
       "\"access_token_lifetime\""},
  };
  expect_rows(rows);
}

TEST(FrontDoorErrors, LoadsWhatIsWritten) {
  const LoadedConfig loaded =
      load_config_text(std::string(kHead) + std::string(kDoor) +
                           "principal = \"email\"\nroles.hd = { x = [\"reader\"] }\n",
                       "/etc/b/c.toml");
  ASSERT_EQ(loaded.config.auth.front_doors.size(), 1U);
  const FrontDoorConfig& door = loaded.config.auth.front_doors.front();
  EXPECT_EQ(door.path, "/sign-in");
  EXPECT_EQ(door.provider.name, "door");
  EXPECT_EQ(door.provider.audiences, std::vector<std::string>{"gateway"});
  EXPECT_EQ(door.provider.principal, "email");
  EXPECT_EQ(door.provider.roles.at("hd").at("x"), std::vector<std::string>{"reader"});
  EXPECT_EQ(door.client.secret.name, "SECRET");
  EXPECT_EQ(door.provider_scopes, std::vector<std::string>{"openid"});
  EXPECT_EQ(door.redirect_uris.size(), 4U);
  EXPECT_TRUE(door.metadata_documents);
  EXPECT_FALSE(door.registration);
}

TEST(IntrospectionErrors, SayWhatToWrite) {
  const std::string issuer =
      "[auth.issuer.a]\nissuer = \"https://a.example\"\naudiences = [\"x\"]\n";
  const std::string asks = "introspection = { client_id = \"g\", client_secret = \"env:S\" }\n";
  const std::string endpoint =
      "[endpoint.e]\npath = \"/mcp\"\nresource = \"https://gw.example.com/mcp\"\n";
  const Row rows[] = {
      {"the least", issuer + asks, ""},
      {"a cache that is too long",
       issuer +
           "introspection = { client_id = \"g\", client_secret = \"env:S\", cache = \"31s\" }\n",
       "\"cache\""},
      {"keys beside it", issuer + "jwks_url = \"https://a.example/k\"\n" + asks,
       "\"jwks_url\" says how tokens are read, and with [introspection] only the issuer reads "
       "them"},
      {"a key from a variable",
       issuer + "introspection = { client_id = \"g\", client_key = \"env:S\" }\n",
       "\"client_key\" must be a file"},
      {"two at one endpoint",
       issuer + asks + "[auth.issuer.b]\nissuer = \"https://b.example\"\naudiences = [\"x\"]\n" +
           asks + endpoint,
       "both \"a\" and \"b\" would be asked about a token of this endpoint"},
      {"two, and no endpoint",
       issuer + asks + "[auth.issuer.b]\nissuer = \"https://b.example\"\naudiences = [\"x\"]\n" +
           asks,
       "both \"a\" and \"b\" would be asked about a token of this endpoint"},
      {"two, each at its own",
       issuer + asks + "[auth.issuer.b]\nissuer = \"https://b.example\"\naudiences = [\"x\"]\n" +
           asks + endpoint + "auth = [\"issuer.a\"]\n",
       ""},
  };
  expect_rows(rows);
}

TEST(CertificateErrors, SayWhatToWrite) {
  const std::string tls(kTls);
  const std::string ci =
      "[auth.certificate.ci]\nprincipal = \"ci\"\nnames = [\"uri:spiffe://a.example/ci\"]\n";
  const Row rows[] = {
      {"the least", tls + ci, ""},
      {"nobody is asked", "[principal.ci]\n" + ci,
       "no client is asked for a certificate; write client_ca in [listen] tls"},
      {"a wildcard", tls + with(ci, "uri:spiffe://a.example/ci", "dns:*.example.com"),
       "\"dns:*.example.com\" is not an alternative name of a certificate"},
      {"no type", tls + with(ci, "uri:spiffe://a.example/ci", "ci.example.com"),
       "write \"dns:HOST\", \"uri:spiffe://DOMAIN/PATH\" or \"email:ADDRESS\", no wildcard"},
      {"no principal", tls + with(ci, "principal = \"ci\"\n", ""),
       "a certificate needs \"principal\""},
      {"a name twice", tls + ci + with(ci, "certificate.ci", "certificate.other"),
       "have the same name \"uri:spiffe://a.example/ci\""},
      {"a list without authorities", with(tls, "client_ca = \"ca.pem\"", "client_crl = \"l.pem\""),
       "\"client_crl\" needs \"client_ca\""},
      {"an endpoint that needs one",
       tls + "[endpoint.e]\npath = \"/mcp\"\ncertificate = \"required\"\n", ""},
      {"… and nobody is asked", "[endpoint.e]\npath = \"/mcp\"\ncertificate = \"required\"\n",
       "no client is asked for a certificate"},
      {"an old version", with(tls, "client_ca = \"ca.pem\"", "min_version = \"1.1\""),
       "\"min_version\" must be \"1.2\" or \"1.3\", not \"1.1\""},
      {"a console that asks for certificates",
       "[console]\nroles = [\"reader\"]\ntls = { cert = \"c\", key = \"file:k\", client_ca = \"a\" "
       "}\n",
       "unknown key \"client_ca\" in console.tls"},
  };
  expect_rows(rows);
}

TEST(ProxyErrors, SayWhatToWrite) {
  const std::string tls(kTls);
  const Row rows[] = {
      {"trusted ones", "[listen]\ntrusted_proxies = [\"10.0.0.0/8\"]\nproxy_protocol = \"v2\"\n",
       ""},
      {"a protocol header from anybody", "[listen]\nproxy_protocol = \"v2\"\n",
       "\"proxy_protocol\" needs \"trusted_proxies\""},
      {"the first version",
       "[listen]\ntrusted_proxies = [\"10.0.0.0/8\"]\nproxy_protocol = \"v1\"\n",
       "\"proxy_protocol\" must be \"v2\", not \"v1\""},
      {"a header from anybody", "[listen]\ncertificate_header = \"Client-Cert\"\n",
       "\"certificate_header\" and \"certificate_proxies\" belong together"},
      {"proxies without a header", tls + "[listen]\ncertificate_proxies = [\"dns:p\"]\n",
       "\"certificate_header\" and \"certificate_proxies\" belong together"},
      {"a header without TLS",
       "[listen]\ncertificate_header = \"Client-Cert\"\ncertificate_proxies = [\"dns:p\"]\n",
       "\"certificate_header\" needs a proxy that proves itself over TLS"},
      {"another header",
       "[listen]\ncertificate_header = \"X-Cert\"\ncertificate_proxies = [\"dns:p\"]\n",
       "\"certificate_header\" must be \"Client-Cert\" or \"X-SSL-Client-Cert\""},
  };
  expect_rows(rows);
}

}  // namespace
}  // namespace bartizan
