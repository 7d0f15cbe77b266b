#include "gateway/setup/wrap_config.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gateway/setup/server_name.h"
#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

TEST(ReduceToServerName, TakesTheLastPartOfAPath) {
  const struct {
    std::string_view text;
    std::string_view name;
  } cases[] = {
      {"mcp-server-filesystem", "mcp-server-filesystem"},
      {"/usr/local/bin/My_Server.py", "my-server-py"},
      {"./run/", "run"},
      {"npx", "npx"},
      {"@scope/server", "server"},
      {"a--b__c", "a-b-c"},
      {"-x-", "x"},
      {"A Very Long Name That Goes On And On And On", "a-very-long-name-that-goes-on-an"},
      {"thirty-one-characters-and-then--x", "thirty-one-characters-and-then-x"},
      {"datei\xc3\xa4", "datei"},
      {"///", ""},
      {"\xe6\x96\x87", ""},
  };
  for (const auto& c : cases)
    EXPECT_EQ(reduce_to_server_name(c.text), c.name) << c.text;
}

TEST(ReduceToPrincipal, KeepsWhatARecordCanName) {
  EXPECT_EQ(reduce_to_principal("ann"), "ann");
  EXPECT_EQ(reduce_to_principal("DOMAIN\\Ann Lee"), "DOMAIN-Ann-Lee");
  EXPECT_EQ(reduce_to_principal(""), "local-user");
  EXPECT_EQ(reduce_to_principal("gateway"), "local-user");
  EXPECT_EQ(reduce_to_principal(std::string(100, 'a')).size(), 64U);
}

TEST(DefaultRecord, IsNumberedFromTheSecondOn) {
  EXPECT_EQ(default_record("/home/ann/.local/state", "files", 1),
            "/home/ann/.local/state/bartizan/files.jsonl");
  EXPECT_EQ(default_record("/state", "files", 2), "/state/bartizan/files-2.jsonl");
}

TEST(WrapConfig, HoldsOneServerAsItsUserStartsIt) {
  const WrapOptions options{.command = {"/opt/bin/Files.py", "--root", "/srv"},
                            .cwd = "work",
                            .env = {"LANG", "TZ"},
                            .secrets = {"TOKEN=file:keys/t", "OTHER=env:MINE"},
                            .allow = {"roots", "sampling"},
                            .rates = {"5/s", "100/min"},
                            .timeout = "30s",
                            .record = "r.jsonl",
                            .digest_key = "file:/k"};
  const auto config = wrap_config(options, "ann", "/home/ann");
  ASSERT_TRUE(config.has_value()) << config.error().detail;
  ASSERT_EQ(config->servers.size(), 1U);
  const ServerConfig& server = config->servers.at("files-py");
  EXPECT_EQ(server.command, options.command);
  EXPECT_EQ(server.cwd, "/home/ann/work");
  EXPECT_EQ(server.prefix, ServerConfig::Prefix::never);
  EXPECT_EQ(server.env_allow, options.env);
  EXPECT_EQ(server.env_secrets.at("TOKEN").name, "/home/ann/keys/t");
  EXPECT_EQ(server.env_secrets.at("OTHER").kind, SecretReference::Kind::environment);
  EXPECT_EQ(server.client_features,
            (std::vector{ClientFeature::logging, ClientFeature::instructions, ClientFeature::roots,
                         ClientFeature::sampling}));
  EXPECT_EQ(server.timeout, std::chrono::seconds(30));
  EXPECT_EQ(config->limits.size(), 1U);
  EXPECT_EQ(config->limits.begin()->second.rates.size(), 2U);
  EXPECT_EQ(config->auth.stdio_principal, "ann");
  EXPECT_EQ(config->audit.file, "/home/ann/r.jsonl");
  EXPECT_EQ(config->audit.digest_key.name, "/k");
  EXPECT_EQ(config->metrics.where.line, 0U);
  EXPECT_EQ(config->digest.size(), 64U);
}

TEST(WrapConfig, GivesServersNothingThatNobodyAskedFor) {
  const auto config = wrap_config({.command = {"server"}}, "ann", "/");
  ASSERT_TRUE(config.has_value());
  const ServerConfig& server = config->servers.at("server");
  EXPECT_EQ(server.client_features,
            (std::vector{ClientFeature::logging, ClientFeature::instructions}));
  EXPECT_TRUE(server.env_allow.empty());
  EXPECT_TRUE(server.env_secrets.empty());
  EXPECT_EQ(config->audit.digest_key.kind, SecretReference::Kind::none);
}

TEST(WrapConfig, PermitsTheLocalUserThatServerAndNobodyElseAnything) {
  auto config = wrap_config({.command = {"server"}}, "ann", "/");
  ASSERT_TRUE(config.has_value());
  config->principals["bob"] = {.id = "bob"};
  const auto policy = compile_policy(*config, {});
  const Principal* ann = policy->find_principal("ann").get();
  const Principal* bob = policy->find_principal("bob").get();
  ASSERT_NE(ann, nullptr);
  ASSERT_NE(bob, nullptr);
  const struct {
    TargetKind kind;
    std::string_view name;
  } targets[] = {{TargetKind::tool, "read_file"},
                 {TargetKind::tool, "with/slash"},
                 {TargetKind::prompt, "greet"},
                 {TargetKind::resource, "file:///a/b.txt"}};
  for (const auto& target : targets) {
    EXPECT_TRUE(
        policy->shows(*ann, target.kind, "server", target.name, any_call_at(0, std::nullopt)))
        << target.name;
    EXPECT_FALSE(
        policy->shows(*ann, target.kind, "other", target.name, any_call_at(0, std::nullopt)))
        << target.name;
    EXPECT_FALSE(
        policy->shows(*bob, target.kind, "server", target.name, any_call_at(0, std::nullopt)))
        << target.name;
  }
}

TEST(WrapConfig, NamesItsPolicyByWhatWasAskedFor) {
  const auto digest = [](const WrapOptions& options) {
    return wrap_config(options, "ann", "/")->digest;
  };
  EXPECT_EQ(digest({.command = {"a", "b"}}), digest({.command = {"a", "b"}}));
  EXPECT_NE(digest({.command = {"a", "b"}}), digest({.command = {"a b"}}));
  // What stands in every record lets nobody guess an argument.
  EXPECT_EQ(digest({.command = {"a", "--token=hunter2"}}), digest({.command = {"a"}}));
  EXPECT_NE(digest({.command = {"a"}}), digest({.command = {"a"}, .allow = {"roots"}}));
  EXPECT_NE(digest({.command = {"a"}, .env = {"X"}}), digest({.command = {"a"}}));
}

TEST(WrapConfig, PinsWhatAPersonApproved) {
  const std::string digits(64, 'a');
  const auto config =
      wrap_config({.command = {"x"}, .name = "s", .approve = {"a.b_c=" + digits}}, "ann", "/");
  ASSERT_TRUE(config.has_value());
  const PinnedTool& pinned = config->pins.tools.at("s").at("a.b_c");
  EXPECT_EQ(pinned.fingerprint, digits);
  EXPECT_TRUE(pinned.is_approved);
  const auto other = wrap_config({.command = {"x"}, .name = "s"}, "ann", "/");
  EXPECT_TRUE(other->pins.tools.empty());
  EXPECT_NE(config->digest, other->digest);
}

TEST(WrapConfig, SaysWhichOptionIsWrong) {
  const struct {
    WrapOptions options;
    std::string_view detail;
  } cases[] = {
      {{}, "there is no program to wrap"},
      {{.command = {""}}, "there is no program to wrap"},
      {{.command = {"///"}}, "--name is 1 to 32 of a-z, 0-9 and single dashes"},
      {{.command = {"x"}, .name = "A"}, "--name is 1 to 32 of a-z, 0-9 and single dashes"},
      {{.command = {"x"}, .name = std::string(33, 'a')},
       "--name is 1 to 32 of a-z, 0-9 and single dashes"},
      {{.command = {"x"}, .env = {"A=hunter2"}},
       "--env requires the name of a variable; its value is in the environment"},
      {{.command = {"x"}, .secrets = {"A=hunter2"}},
       "--secret requires file:PATH or env:NAME, never the secret itself"},
      {{.command = {"x"}, .secrets = {"=file:x"}}, "--secret requires NAME=file:PATH"},
      {{.command = {"x"}, .allow = {"root"}},
       "--allow requires sampling, elicitation, roots or tasks"},
      {{.command = {"x"}, .rates = {"many"}}, "--rate requires calls in a window, such as 100/s"},
      {{.command = {"x"}, .approve = {"tool"}},
       "--approve requires TOOL=FINGERPRINT, the 64 digits of lower-case hex that the log shows"},
      {{.command = {"x"}, .approve = {"tool=" + std::string(64, 'G')}},
       "--approve requires TOOL=FINGERPRINT, the 64 digits of lower-case hex that the log shows"},
      {{.command = {"x"}, .approve = {"a tool=" + std::string(64, 'a')}},
       "--approve requires TOOL=FINGERPRINT, the 64 digits of lower-case hex that the log shows"},
      {{.command = {"x"},
        .approve = {"tool=" + std::string(64, 'a'), "tool=" + std::string(64, 'b')}},
       "--approve names one tool twice"},
      {{.command = {"x"}, .untranslatable_patterns = "yes"},
       "--untranslatable-patterns requires accept or quarantine"},
      {{.command = {"x"}, .timeout = "0s"}, "--timeout requires a duration, such as 30s"},
      {{.command = {"x"}, .digest_key = "hunter2"},
       "--digest-key requires file:PATH or env:NAME, never the secret itself"},
  };
  for (const auto& c : cases) {
    const auto config = wrap_config(c.options, "ann", "/");
    ASSERT_FALSE(config.has_value()) << c.detail;
    EXPECT_EQ(config.error().detail, c.detail);
  }
}

TEST(NameInCommand, IsWhatAPersonWouldCallTheServer) {
  const struct {
    std::vector<std::string> command;
    std::string_view name;
  } cases[] = {
      {{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv"}, "server-filesystem"},
      {{"/usr/bin/npx", "-y", "@scope/server-memory@1.2.3"}, "server-memory"},
      {{"npx", "--package", "@scope/many", "one-of-them", "--flag"}, "one-of-them"},
      {{"uvx", "mcp-server-git", "--repository", "/r"}, "mcp-server-git"},
      {{"uvx", "--from", "git+https://h/x", "mcp-x"}, "mcp-x"},
      {{"bunx", "pkg"}, "pkg"},
      {{"pnpm", "dlx", "pkg@latest"}, "pkg"},
      {{"uv", "tool", "run", "pkg"}, "pkg"},
      {{"docker", "run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/github/github-mcp-server:v1"},
       "github-mcp-server"},
      {{"docker", "run", "--name", "box", "mcp/time@sha256:00"}, "time"},
      {{"node", "/opt/weather/dist/index.js"}, "weather"},
      {{"node", "--import", "x", "weather.mjs"}, "weather"},
      {{"python3", "-m", "mcp_server_time"}, "mcp_server_time"},
      {{"python", "/opt/time_server.py"}, "time_server"},
      {{"node", "index.js"}, "index.js"},
      {{"npx"}, "npx"},
      {{"npx", "-y"}, "npx"},
      {{"/usr/bin/mcp-server-filesystem", "/srv"}, "mcp-server-filesystem"},
      {{"sh", "-c", "x"}, "sh"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(name_in_command(c.command), c.name) << c.command.front();
}

}  // namespace
}  // namespace bartizan
