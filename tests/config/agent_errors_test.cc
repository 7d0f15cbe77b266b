#include <string>
#include <string_view>

#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

constexpr std::string_view kToken =
    "abababababababababababababababababababababababababababababababab";

std::string agent_of(std::string_view keys) {
  return "[server.db]\n" + std::string(keys) +
         "\n[endpoint.agents]\npath = \"/\"\nprotocol = \"fabricore\"\n[listen]\nweb_socket = true";
}

std::string sound(std::string_view more = "") {
  return "agent = { id = \"a-1\", token_sha256 = \"" + std::string(kToken) + "\"" +
         std::string(more) + " }";
}

TEST(AgentErrors, SayWhatToWrite) {
  const struct {
    std::string_view name;
    std::string keys;
    std::string_view want;  ///< Is in the errors; empty for none.
  } rows[] = {
      {"an agent", sound(), ""},
      {"MCP servers beside it", sound(", mcp_servers = [\"pg\", \"pg-2\"]"), ""},
      {"names that begin alike", sound(", mcp_servers = [\"pg\", \"pg.two\"]"),
       "\"pg.two\" begins like the name \"pg\""},
      {"a name twice", sound(", mcp_servers = [\"pg\", \"pg\"]"), "names \"pg\" twice"},
      {"a name with a blank", sound(", mcp_servers = [\"p g\"]"), "MCP server"},
      {"no id", "agent = { token_sha256 = \"" + std::string(kToken) + "\" }", "needs an \"id\""},
      {"an id with a slash",
       "agent = { id = \"a/b\", token_sha256 = \"" + std::string(kToken) + "\" }",
       "needs an \"id\""},
      {"an id with a line end",
       "agent = { id = \"a\\nb\", token_sha256 = \"" + std::string(kToken) + "\" }",
       "needs an \"id\""},
      {"the token itself", "agent = { id = \"a\", token_sha256 = \"secret\" }",
       "SHA-256 of its token"},
      {"no token", "agent = { id = \"a\" }", "SHA-256 of its token"},
      {"another key", sound(", url = \"x\""), "url"},
      {"a command beside it", sound() + "\ncommand = [\"/bin/true\"]", "exactly one of"},
      {"a sandbox", sound() + "\nsandbox.network = \"none\"",
       "\"sandbox\" has no effect on a server with \"agent\""},
      {"features of clients", sound() + "\nclient_features = [\"sampling\"]",
       "\"client_features\" has no effect on a server with \"agent\""},
      {"one agent as two servers", sound() + "\n[server.other]\n" + sound(), "are the same agent"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string errors = errors_of(agent_of(row.keys));
    if (row.want.empty()) {
      EXPECT_EQ(errors, "");
    } else {
      EXPECT_TRUE(errors.contains(row.want)) << errors;
    }
  }
  EXPECT_TRUE(errors_of("[server.db]\n" + sound()).contains("has no endpoint to connect to"));
}

TEST(AgentErrors, WarnOfAnAgentWithoutTools) {
  const auto warnings = [](std::string_view tools) {
    const LoadedConfig loaded = load_config_text(
        std::string(kHead) + agent_of(sound()) + std::string(tools) + std::string(kServerAndKey),
        "/etc/b/c.toml");
    return all_text(loaded.problems);
  };
  EXPECT_TRUE(warnings("").contains("the agent \"db\" has no tools"));
  EXPECT_TRUE(warnings("\n[tool.\"db/*\"]\nschema.type = \"object\"").contains("has no tools"));
  EXPECT_TRUE(warnings("\n[tool.\"db/run\"]\nrisk = \"high\"").contains("has no tools"));
  EXPECT_FALSE(warnings("\n[tool.\"db/run\"]\nschema.type = \"object\"").contains("has no tools"));
}

TEST(SecurityProfile, IsTheSandboxInGroundhogsNames) {
  const struct {
    std::string_view name, keys, want;
  } rows[] = {
      {"as the document has it",
       "security_profile = { sandbox_level = \"container\", max_execution_time = 30, max_memory = "
       "268435456 }\nsandbox = { read = [\"/usr\"] }",
       ""},
      {"a level without its files", "security_profile = { sandbox_level = \"container\" }",
       "a level needs a \"sandbox\" with \"read\""},
      {"a level, and no files in the sandbox",
       "security_profile = { sandbox_level = \"process\" }\nsandbox = { open_files = 64 }",
       "a level needs \"read\""},
      {"no level", "security_profile = { sandbox_level = \"none\", max_execution_time = 1 }", ""},
      {"a level that is none", "security_profile = { sandbox_level = \"vm\" }", "sandbox_level"},
      {"two levels",
       "security_profile = { sandbox_level = \"process\" }\nsandbox = { level = \"container\", "
       "read = [\"/usr\"] }",
       "\"level\" says what \"security_profile.sandbox_level\" says"},
      {"two times", "security_profile = { max_execution_time = 30 }\ntimeout = \"30s\"",
       "\"timeout\" says what \"security_profile.max_execution_time\" says"},
      {"two bounds",
       "security_profile = { max_memory = 268435456 }\nsandbox = { total_memory = \"1 GiB\" }",
       "\"total_memory\" says what \"security_profile.max_memory\" says"},
      {"a time in text", "security_profile = { max_execution_time = \"30s\" }",
       "max_execution_time"},
      {"no time", "security_profile = { max_execution_time = 0 }", "max_execution_time"},
      {"another key", "security_profile = { max_cpu = 1 }", "max_cpu"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string text = "[server.run]\ncommand = [\"/bin/true\"]\n" + std::string(row.keys);
    const std::string errors = errors_of(text);
    EXPECT_TRUE(row.want.empty() ? errors.empty() : errors.contains(row.want)) << errors;
  }
  const LoadedConfig loaded =
      load_config_text(std::string(kHead) + "[server.run]\ncommand = [\"/bin/true\"]\n" +
                           std::string(rows[0].keys) + std::string(kServerAndKey),
                       "/etc/b/c.toml");
  const ServerConfig& server = loaded.config.servers.at("run");
  EXPECT_EQ(server.sandbox.level, SandboxConfig::Level::container);
  EXPECT_EQ(server.sandbox.total_memory, 268'435'456U);
  EXPECT_EQ(server.sandbox.network, SandboxConfig::Network::none);
  EXPECT_EQ(server.timeout, std::chrono::seconds(30));
}

TEST(AllowedResources, ArePermitsOfTheirRole) {
  const auto load = [](std::string_view resources) {
    return load_config_text(
        "version = 1\naudit.file = \"/var/a\"\n[role.reader]\n[role.writer]\n"
        "allowed_resources = " +
            std::string(resources) + std::string(kServerAndKey),
        "/etc/b/c.toml");
  };
  const auto problems = [&load](std::string_view resources) {
    return all_text(load(resources).problems);
  };
  EXPECT_FALSE(problems(R"(["files:file:///srv/**"])").contains("error"));
  EXPECT_TRUE(problems(R"(["flies:file:///srv/**"])").contains("did you mean \"files\"?"));
  EXPECT_TRUE(problems(R"(["file"])").contains("/etc/b/c.toml:4:"));
  EXPECT_TRUE(problems("[]").contains("\"allowed_resources\" is empty"));
  const LoadedConfig loaded = load(R"(["files:file:///srv/**"])");
  const RuleConfig& rule = loaded.config.rules.at("allowed_resources:writer");
  EXPECT_EQ(rule.effect, Effect::permit);
  EXPECT_EQ(rule.roles, std::vector<std::string>{"writer"});
  EXPECT_EQ(rule.target, RuleTarget::resources);
  EXPECT_EQ(rule.patterns, std::vector<std::string>{"files/file:///srv/**"});
}

}  // namespace
}  // namespace bartizan
