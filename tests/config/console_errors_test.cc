#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

/// Somebody who could sign in.
constexpr std::string_view kReader = R"(
[auth.api_key.k]
principal = "ann"
sha256 = "abababababababababababababababababababababababababababababababab"
[principal.ann]
roles = ["reader"]
)";

/// All that is said of a text behind `kHead`.
std::string problems_of(std::string_view text, std::string_view more) {
  const LoadedConfig loaded =
      load_config_text(std::string(kHead) + std::string(text) + std::string(more), "/etc/b/c.toml");
  return all_text(loaded.problems);
}

TEST(ConsoleErrors, SayWhatToWrite) {
  const Wrong rows[] = {
      {"on loopback", "[console]\nroles = [\"reader\"]", ""},
      {"with all keys", R"([console]
address = "0.0.0.0:9301"
roles = ["reader"]
allowed_hosts = ["console.example"]
allowed_origins = ["https://console.example"]
tls = { cert = "c.pem", key = "file:k.pem" })",
       ""},
      {"without roles", "[console]",
       "/etc/b/c.toml:4:2: error: console needs \"roles\"; write roles = [\"ROLE\"]: whose "
       "principals may sign in\n"},
      {"for nobody", "[console]\nroles = []",
       "/etc/b/c.toml:5:9: error: \"roles\" is empty; write roles = [\"ROLE\"]: whose principals "
       "may sign in\n"},
      {"for a role that is not there", "[console]\nroles = [\"reader\", \"raeder\"]",
       "/etc/b/c.toml:5:20: error: there is no role \"raeder\"; did you mean \"reader\"?\n"},
      {"beyond loopback",
       "[console]\naddress = \"0.0.0.0:9301\"\nroles = [\"reader\"]\n"
       "allowed_hosts = [\"console.example\"]",
       "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and there is no \"tls\"; "
       "add tls = { cert = \"PATH\", key = \"file:PATH\" }, or write address = "
       "\"127.0.0.1:9301\"\n"},
      {"beyond loopback, as clients may be served",
       "[console]\naddress = \"0.0.0.0:9301\"\nroles = [\"reader\"]\n"
       "allowed_hosts = [\"console.example\"]\nplaintext = \"trusted-network\"",
       "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and there is no \"tls\"; "
       "add tls = { cert = \"PATH\", key = \"file:PATH\" }, or write address = "
       "\"127.0.0.1:9301\"\n"
       "/etc/b/c.toml:8:1: error: unknown key \"plaintext\" in console\n"},
      {"beyond loopback without a name", R"([console]
address = "10.0.0.1:9301"
roles = ["reader"]
tls = { cert = "c.pem", key = "file:k.pem" })",
       "/etc/b/c.toml:5:11: error: \"address\" is not a loopback address and needs "
       "\"allowed_hosts\": the names that browsers ask for\n"},
      {"at the address of metrics", "[console]\naddress = \"127.0.0.1:9901\"\nroles = [\"reader\"]",
       "/etc/b/c.toml:5:11: error: \"address\" is that of [metrics]; give the console a port of "
       "its own, such as \"127.0.0.1:9301\"\n"},
      {"at the address of clients", "[console]\naddress = \"127.0.0.1:8080\"\nroles = [\"reader\"]",
       "/etc/b/c.toml:5:11: error: \"address\" is that of [listen]; give the console a port of its "
       "own, such as \"127.0.0.1:9301\"\n"},
      {"a word of other programs", "[console]\nlisten = \"127.0.0.1:9301\"\nroles = [\"reader\"]",
       "/etc/b/c.toml:5:1: error: unknown key \"listen\" in console; write address = "
       "\"127.0.0.1:9301\"\n"},
  };
  for (const Wrong& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(problems_of(row.text, kReader), row.problem);
  }
}

TEST(ConsoleErrors, SayThatNobodyCouldSignIn) {
  constexpr std::string_view kConsole = "[console]\nroles = [\"reader\"]\n";
  EXPECT_EQ(problems_of(kConsole, ""),
            "/etc/b/c.toml:4:2: error: there is no API key and no front door, so nobody could "
            "sign in to the console; bartizan key new NAME --principal P makes a key\n");
  const std::string without_auth =
      problems_of(kConsole, "[auth]\nmode = \"none\"\nprincipal = \"ann\"\n[principal.ann]\n");
  EXPECT_TRUE(without_auth.starts_with(
      "/etc/b/c.toml:4:2: error: auth mode \"none\" has no keys, so nobody could sign in to the "
      "console; take the console out, or give people keys\n"))
      << without_auth;
  constexpr std::string_view kWithoutRole =
      "[auth.api_key.k]\nprincipal = \"ann\"\nsha256 = "
      "\"abababababababababababababababababababababababababababababababab\"\n[principal.ann]\n";
  EXPECT_EQ(problems_of(kConsole, kWithoutRole),
            "/etc/b/c.toml:4:2: warning: nobody can sign in to the console: no principal with one "
            "of its \"roles\" has an API key\n");
}

}  // namespace
}  // namespace bartizan
