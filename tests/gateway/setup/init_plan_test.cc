#include "gateway/setup/init_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "gateway/review/secret_heuristics.h"
#include "gateway/setup/write_plan.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

constexpr std::string_view kSettings = R"({
  "theme": "dark",
  "mcpServers": {
    "Files": {"command": "mcp-server-filesystem", "args": ["/srv/data"], "cwd": "/srv",
              "env": {"LANG": "C.UTF-8", "GITHUB_TOKEN": "hunter2hunter2", "EMPTY_TOKEN": ""}},
    "files": {"command": "npx", "args": ["-y", "x"], "cwd": "~/data", "autoApprove": ["read"]},
    "remote": {"type": "http", "url": "https://mcp.example.com/mcp",
               "headers": {"Authorization": "Bearer s3cret-of-remote", "X-Api-Key": "hunter3",
                           "X-Org": "acme", "Host": "mcp.example.com", "X-Note": "env:NONE"}},
    "old": {"type": "pigeon", "url": "https://mcp.example.com/sse"},
    "off": {"command": "x", "disabled": true},
    "both": {"command": "x", "url": "https://h/"},
    "none": {"env": {}},
    "odd": {"command": "x", "args": [1]},
    "a/b~c": {"command": "${HOME}/tool", "env": {"DIR": "${workspaceFolder}"}, "args": ["${input:key}"]},
    "text": "x"
  }
})";

/// A plan of `kSettings`, with what the command itself adds.
InitPlan make_plan() {
  auto file = read_client_file(kSettings);
  EXPECT_TRUE(file.has_value());
  InitPlan plan = plan_init(std::move(*file), "/home/ann/gateway.secrets");
  plan.client_file = "settings.json";
  plan.principal = "ann";
  plan.key_name = "desktop";
  plan.key_sha256 = std::string(64, 'a');
  plan.record = "gateway.audit.jsonl";
  return plan;
}

TEST(ReadClientFile, SaysWhatItDoesNotUnderstandByItsPointer) {
  const InitPlan plan = make_plan();
  std::string notes;
  for (const ClientNote& note : plan.notes)
    notes += note.pointer + ": " + note.message + "\n";
  EXPECT_EQ(
      notes,
      "/mcpServers/files/cwd: begins with ~, which nobody fills in here: write the whole path\n"
      "/mcpServers/files/autoApprove: the gateway has no such key: the server is kept without "
      "it\n"
      "/mcpServers/old/type: names a transport that the gateway does not speak towards "
      "servers: the server is left out\n"
      "/mcpServers/off/disabled: the client does not start it: the server is left out\n"
      "/mcpServers/both: needs exactly one of \"command\" and \"url\": the server is left "
      "out\n"
      "/mcpServers/none: needs exactly one of \"command\" and \"url\": the server is left "
      "out\n"
      "/mcpServers/odd/args/0: is not a string: the server is left out\n"
      "/mcpServers/a~1b~0c/command: holds a placeholder that only the client fills in: "
      "replace it\n"
      "/mcpServers/a~1b~0c/args/0: holds a placeholder that only the client fills in: "
      "replace it\n"
      "/mcpServers/text: is not an object: the server is left out\n"
      "/mcpServers/Files: is \"files\" here: in rules, in records, and in front of its tools' "
      "names\n"
      "/mcpServers/files: is \"files-2\" here: in rules, in records, and in front of its tools' "
      "names\n"
      "/mcpServers/remote/headers/Host: is written by the gateway itself: left out\n"
      "/mcpServers/remote: a URL has no program to wrap: keep its entry, or use one of the "
      "others\n"
      "/mcpServers/a~1b~0c: is \"b-c\" here: in rules, in records, and in front of its tools' "
      "names\n"
      "/mcpServers/a~1b~0c/env/DIR: holds a placeholder that only the client fills in: the entries "
      "of wrap and run --stdio keep it; for a gateway that runs by itself, set DIR in its "
      "environment\n");
}

TEST(ReadClientFile, ReadsTheOtherNameToo) {
  const auto file = read_client_file(R"({"servers":{"x":{"type":"stdio","command":"y"}}})");
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->entries.size(), 1U);
  EXPECT_EQ(file->entries[0].pointer, "/servers/x");
  EXPECT_TRUE(file->notes.empty());
}

TEST(ReadClientFile, SaysThatNothingIsLeft) {
  for (const std::string_view text : {R"({"mcpServers":{}})", R"({"mcpServers":{"x":{}}})"}) {
    const auto file = read_client_file(text);
    ASSERT_TRUE(file.has_value());
    EXPECT_TRUE(file->notes.back().message.starts_with("has no server that could be taken"));
    EXPECT_EQ(file->notes.back().pointer, "/mcpServers");
  }
}

TEST(ReadClientFile, SaysWhatNobodyFillsIn) {
  const auto file = read_client_file(R"({"mcpServers":{
    "a": {"command": "~/bin/x", "cwd": "${HOME}", "args": ["~"]},
    "b": {"url": "https://${HOST}/mcp"},
    "c": {"command": "~x", "cwd": "/srv/~"}}})");
  ASSERT_TRUE(file.has_value());
  std::vector<std::string> places;
  for (const ClientNote& note : file->notes)
    places.push_back(note.pointer);
  EXPECT_EQ(places, (std::vector<std::string>{"/mcpServers/a/command", "/mcpServers/a/cwd",
                                              "/mcpServers/b/url"}));
}

TEST(ReadClientFile, RefusesWhatHasNoServers) {
  EXPECT_FALSE(read_client_file("").has_value());
  EXPECT_FALSE(read_client_file("{} // comment").has_value());
  EXPECT_FALSE(read_client_file(R"({"mcpServers":{} "x")").has_value());
  EXPECT_FALSE(read_client_file("{}").has_value());
  EXPECT_FALSE(read_client_file(R"({"mcpServers":[]})").has_value());
  EXPECT_FALSE(read_client_file(R"({"mcpServers":{},"mcpServers":{}})").has_value());
  EXPECT_TRUE(read_client_file(R"({"mcpServers":{}})").has_value());
}

TEST(ReadClientFile, ReadsWhatEditorsWrite) {
  const auto file = read_client_file(R"({
  // The servers, of which "one" // is off.
  "servers": {
    "x": {"command": "y", "args": ["a//b", "c/*d*/", "\",}"], "disabled": false,}, /* so
    it is */
  },
})");
  ASSERT_TRUE(file.has_value()) << file.error().detail;
  EXPECT_EQ(file->member, "servers");
  ASSERT_EQ(file->entries.size(), 1U);
  EXPECT_EQ(file->entries[0].command, (std::vector<std::string>{"y", "a//b", "c/*d*/", "\",}"}));
  EXPECT_TRUE(file->notes.empty());
}

TEST(ReadClientFile, TakesProgramsOutOfWrap) {
  const auto file = read_client_file(R"({"mcpServers":{
    "a": {"command": "/usr/bin/bartizan", "args": ["wrap", "--name", "a", "--env", "T", "npx", "-y", "x", "--read-only"]},
    "b": {"command": "bartizan", "args": ["wrap", "--read-only", "--tools=read_*", "--", "y"]},
    "c": {"command": "bartizan", "args": ["wrap", "--name", "c"]},
    "d": {"command": "bartizan", "args": ["run", "--stdio", "f"]}}})");
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->entries.size(), 3U);
  EXPECT_EQ(file->entries[0].command, (std::vector<std::string>{"npx", "-y", "x", "--read-only"}));
  EXPECT_EQ(file->entries[1].command, (std::vector<std::string>{"y"}));
  EXPECT_EQ(file->entries[2].command,
            (std::vector<std::string>{"bartizan", "run", "--stdio", "f"}));
  ASSERT_EQ(file->notes.size(), 3U);
  EXPECT_EQ(file->notes[0].message, "the program is taken out of bartizan wrap");
  EXPECT_TRUE(file->notes[1].message.ends_with("write rules in place of --read-only, --tools"))
      << file->notes[1].message;
  EXPECT_EQ(file->notes[2].message, "wraps no program: the server is left out");
}

TEST(ReadClientFile, SaysWhereItIsNoJson) {
  const auto file = read_client_file("{\n  \"mcpServers\": {},\n  oops\n}");
  ASSERT_FALSE(file.has_value());
  EXPECT_TRUE(file.error().detail.starts_with("line 3, column 3: it is not JSON"))
      << file.error().detail;
}

TEST(PlanInit, PassesOnWhatAProgramThatFetchesNeeds) {
  auto file = read_client_file(R"({"mcpServers":{
    "npx": {"command": "npx", "args": ["-y", "p"], "env": {"NO_PROXY": "*"}},
    "own": {"command": "mcp-server"}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan =
      plan_init(std::move(*file), "/s", {"HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "NO_PROXY", "TERM"});
  EXPECT_EQ(plan.servers[0].env_allow,
            (std::vector<std::string>{"HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"}));
  EXPECT_TRUE(plan.servers[1].env_allow.empty());
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_TRUE(plan.notes[0].message.contains("HTTPS_PROXY, NODE_EXTRA_CA_CERTS"));
  EXPECT_TRUE(
      write_gateway_config(plan).contains(R"(env_allow = ["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"])"));
  EXPECT_TRUE(write_wrap_entries(plan, "b").contains(R"("--env", "HTTPS_PROXY", "--env")"));
}

// What only the client, or its user, fills in stays in the entries.
TEST(PlanInit, KeepsVariablesWithPlaceholders) {
  auto file = read_client_file(R"({"servers":{
    "a": {"command": "x", "env": {"KEY": "${input:a}", "MODE": "plain", "SITE": "<YOUR_SITE>"}},
    "b": {"command": "x", "env": {"KEY": "${input:b}", "API_KEY": "<YOUR_KEY>"}},
    "c": {"command": "x", "env": {"KEY": "${input:a}", "ODD": "a > b <c>"}},
    "d": {"url": "https://h.example/mcp", "headers": {"X-Org": "${input:org}"}}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  const struct {
    std::string_view name, pointer, message;
  } rows[] = {
      {"a header has no environment", "/servers/d/headers/X-Org", "so it is left out"},
      {"a word to replace", "/servers/a/env/SITE", "value of SITE into env of [server.a]"},
      {"a placeholder", "/servers/a/env/KEY", "set KEY in its environment"},
      {"a secret to replace", "/servers/b/env/API_KEY", "of API_KEY into the file /s/b.API_KEY"},
      {"another one of the same name", "/servers/b/env/KEY", "into env of [server.b]"},
      {"the same one", "/servers/c/env/KEY", "set KEY in its environment"},
      {"a URL", "/servers/d", "has no program"},
  };
  ASSERT_EQ(plan.notes.size(), std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    SCOPED_TRACE(rows[i].name);
    EXPECT_EQ(plan.notes[i].pointer, rows[i].pointer);
    EXPECT_TRUE(plan.notes[i].message.contains(rows[i].message)) << plan.notes[i].message;
  }
  EXPECT_EQ(plan.servers[0].env_allow, std::vector<std::string>{"KEY"});
  EXPECT_TRUE(plan.servers[1].env_allow.empty());
  EXPECT_EQ(plan.servers[2].env_allow, std::vector<std::string>{"KEY"});
  const std::string wrap = write_wrap_entries(plan, "b");
  EXPECT_TRUE(wrap.contains(R"("KEY": "${input:a}")")) << wrap;
  EXPECT_TRUE(wrap.contains(R"("KEY": "${input:b}")")) << wrap;
  EXPECT_TRUE(wrap.contains(R"("--env", "SITE", "--env", "KEY", "--")")) << wrap;
  const std::string stdio = write_stdio_entry(plan, "b", "/c.toml");
  EXPECT_TRUE(stdio.contains(R"("env": { "KEY": "${input:a}" })")) << stdio;
  EXPECT_FALSE(write_gateway_config(plan).contains("${"));
}

TEST(PlanInit, SaysWhichSecretsStayInSight) {
  auto file = read_client_file(R"({"mcpServers":{
    "a": {"url": "https://h.example/mcp?api_key=SECRETSECRET1234"},
    "b": {"command": "mcp-remote", "args": ["https://x/mcp?token=s", "--header", "X-Api-Key: abcdef"]}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  std::vector<std::string> places;
  for (const ClientNote& note : plan.notes) {
    places.push_back(note.pointer);
    EXPECT_FALSE(note.message.contains("SECRETSECRET1234") || note.message.contains("abcdef"));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"/mcpServers/a/url", "/mcpServers/a",
                                              "/mcpServers/b/args/0", "/mcpServers/b/args/2"}));
  EXPECT_FALSE(write_wrap_entries(plan, "b").contains("abcdef"));
}

TEST(PlanInit, PrintsNoSecretThatIsGivenAsAVariable) {
  auto file = read_client_file(R"({"mcpServers":{
    "a": {"command": "docker", "args": ["run", "-e", "GITHUB_TOKEN=ghp_abcdef", "image"]}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0].pointer, "/mcpServers/a/args/2");
  EXPECT_FALSE(write_wrap_entries(plan, "b").contains("abcdef"));
}

TEST(PlanInit, NamesServersApart) {
  const InitPlan plan = make_plan();
  ASSERT_EQ(plan.servers.size(), 4U);
  EXPECT_EQ(plan.servers[0].name, "files");
  EXPECT_EQ(plan.servers[1].name, "files-2");
  EXPECT_EQ(plan.servers[2].name, "remote");
  EXPECT_EQ(plan.servers[3].name, "b-c");
}

TEST(PlanInit, MovesSecretsIntoFiles) {
  const InitPlan plan = make_plan();
  ASSERT_EQ(plan.servers[0].secrets.size(), 1U);
  EXPECT_EQ(plan.servers[0].secrets[0].file, "/home/ann/gateway.secrets/files.GITHUB_TOKEN");
  EXPECT_EQ(plan.servers[0].secrets[0].value, "hunter2hunter2");
  EXPECT_EQ(plan.servers[0].entry.env.count("GITHUB_TOKEN"), 0U);
  EXPECT_EQ(plan.servers[0].entry.env.at("LANG"), "C.UTF-8");
  ASSERT_EQ(plan.servers[2].secrets.size(), 3U);
  EXPECT_EQ(plan.servers[2].secrets[0].file, "/home/ann/gateway.secrets/remote.bearer");
  EXPECT_EQ(plan.servers[2].secrets[0].value, "s3cret-of-remote");
  EXPECT_EQ(plan.servers[2].secrets[1].file, "/home/ann/gateway.secrets/remote.X-Api-Key");
  EXPECT_EQ(plan.servers[2].secrets[1].value, "hunter3");
  EXPECT_EQ(plan.servers[2].secrets[2].value, "env:NONE");
  EXPECT_EQ(plan.servers[2].entry.headers, (std::map<std::string, std::string>{{"X-Org", "acme"}}));
}

TEST(LooksSecret, IsInDoubtASecret) {
  const struct {
    std::string_view name;
    std::string_view value;
    bool is_secret;
  } cases[] = {
      {"GITHUB_TOKEN", "x", true},
      {"github_personal_access_token", "x", true},
      {"OPENAI_API_KEY", "x", true},
      {"DB_PASSWORD", "x", true},
      {"KEY", "x", true},
      {"KEYBOARD", "us", false},
      {"MEMORY_FILE_PATH", "/home/ann/memory.json", false},
      {"DATABASE_URL", "postgres://ann:hunter2@db/main", true},
      {"DATABASE_URL", "postgres://db/main", false},
      {"NODE_OPTIONS", "--max-old-space-size=4096", false},
      {"SETTING", "ghp_0123456789", true},
      {"SETTING", "0a1b2c3d4e5f60718293", true},
      {"SETTING", "0a1b2c3d4e5f6071829", false},
      {"LANG", "C.UTF-8", false},
      {"MODE", "a-rather-long-name-of-a-mode", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(may_be_secret(c.name, c.value), c.is_secret) << c.name << " " << c.value;
}

TEST(LooksSecret, SoAsAnArgument) {
  const struct {
    std::string_view before;
    std::string_view argument;
    bool is_secret;
  } cases[] = {
      {"server", "--token=abc", true},
      {"server", "--token=ghp_0123456789", true},
      {"server", "--api-key=abc", true},
      {"--api-key", "abc", true},
      {"--header", "Authorization: Bearer abc", true},
      {"--header", "Authorization:${KEY}", false},
      {"--header", "Accept: text/plain", false},
      {"-H", "Cookie: a", true},
      {"x", "--header=X-Token: a", true},
      {"x", "https://h/mcp?api_key=abc", true},
      {"x", "https://h/mcp?mode=abc#key=abc", false},
      {"x", "https://h/mcp?api_key=${KEY}", false},
      {"--root", "C:/data", false},
      {"-y", "ghp_0123456789", true},
      {"server", "--token", false},
      {"server", "--token=", false},
      {"--api-key", "--verbose", false},
      {"--token=abc", "/srv/data", false},
      {"--root", "/srv/data", false},
      {"server", "--mode=fast", false},
      {"server", "--keyboard=us", false},
      {"-e", "GITHUB_TOKEN=ghp_0123456789", true},
      {"-e", "SETTING=ghp_0123456789", true},
      {"env", "DB_PASSWORD=abc", true},
      {"run", "--env=DB_PASSWORD=abc", true},
      {"-e", "DB_PASSWORD", false},
      {"-e", "DB_PASSWORD=", false},
      {"-e", "DB_PASSWORD=${DB_PASSWORD}", false},
      {"-e", "KEYBOARD=us", false},
      {"-e", "1ST_TOKEN=abc", false},
      {"--token", "abc=", true},
      {"x", "postgres://u:pw@h/${DB}", true},
      {"x", "postgres://u:${PW}@h/db", false},
      {"x", "postgres://u:p${w@h/db", true},
      {"x", "https://0a1b2c3d4e5f60718293:@h/x", true},
      {"x", "https://h/mcp?api_key=abc&user=${USER}", true},
      {"--header", "Authorization: Bearer ${KEY}", false},
      {"--header", "Authorization: Bearer abc${KEY}", true},
      {"--api-key", "${KEY}", false},
      {"--api-key", "abc${KEY}", true},
      {"server", "--token=${input:token}", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_secret_argument(c.before, c.argument), c.is_secret)
        << c.before << " " << c.argument;
}

TEST(WriteGatewayConfig, IsAConfigurationThatLoadsAndHoldsNoSecret) {
  const InitPlan plan = make_plan();
  const std::string toml = write_gateway_config(plan);
  const LoadedConfig loaded = load_config_text(toml, "/home/ann/gateway.toml");
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << text(problem) << "\n" << toml;
  EXPECT_TRUE(check_text_against_schema(toml, "/home/ann/gateway.toml").empty());
  const Config& config = loaded.config;
  EXPECT_EQ(config.servers.size(), 4U);
  EXPECT_EQ(config.servers.at("files").cwd, "/srv");
  EXPECT_EQ(config.servers.at("files").env_secrets.at("GITHUB_TOKEN").name,
            "/home/ann/gateway.secrets/files.GITHUB_TOKEN");
  EXPECT_EQ(config.servers.at("remote").bearer.name, "/home/ann/gateway.secrets/remote.bearer");
  const std::vector<ServerHeader>& headers = config.servers.at("remote").headers;
  ASSERT_EQ(headers.size(), 3U);
  EXPECT_EQ(headers[0].name, "X-Api-Key");
  EXPECT_EQ(headers[0].secret.name, "/home/ann/gateway.secrets/remote.X-Api-Key");
  EXPECT_EQ(headers[1].name, "X-Note");
  EXPECT_EQ(headers[2].value, "acme");
  EXPECT_EQ(config.rules.at("use-files").patterns, std::vector<std::string>{"files/*"});
  EXPECT_EQ(config.auth.stdio_principal, "ann");
  EXPECT_EQ(config.auth.api_keys.at(0).principal, "ann");
  EXPECT_EQ(config.audit.file, "/home/ann/gateway.audit.jsonl");
  for (const std::string_view secret : {"hunter2", "s3cret", "hunter3"})
    EXPECT_FALSE(toml.contains(secret)) << secret;
}

TEST(WriteGatewayConfig, SpellsWhateverTextThereIs) {
  auto file = read_client_file(
      R"({"servers":{"x":{"command":"a\"b\\c\u0001\u007f\n","env":{"":"", "A B.\"":"'''"}}}})");
  ASSERT_TRUE(file.has_value());
  InitPlan plan = plan_init(std::move(*file), "/s");
  plan.principal = plan.key_name = "ann";
  plan.key_sha256 = std::string(64, 'a');
  plan.record = "r";
  plan.servers[0].entry.env.erase("");
  const LoadedConfig loaded = load_config_text(write_gateway_config(plan), "/g.toml");
  for (const ConfigProblem& problem : loaded.problems)
    ADD_FAILURE() << text(problem);
  EXPECT_EQ(loaded.config.servers.at("x").command[0], "a\"b\\c\x01\x7f\n");
  EXPECT_EQ(loaded.config.servers.at("x").env.at("A B.\""), "'''");
}

TEST(WriteEntries, ReplaceTheClientsOwn) {
  const InitPlan plan = make_plan();
  const std::string entries = write_wrap_entries(plan, "/usr/bin/bartizan");
  const Bytes bytes{std::string_view(entries)};
  JsonDocument document;
  const auto root = document.read(bytes);
  ASSERT_TRUE(root.has_value()) << entries;
  const JsonValue servers = root->find("mcpServers");
  EXPECT_EQ(servers.size(), 3U);  // A URL cannot be wrapped.
  const JsonValue files = servers.find("Files");
  EXPECT_EQ(files.find("command").text(), "/usr/bin/bartizan");
  EXPECT_EQ(files.find("args").raw(),
            R"(["wrap", "--name", "files", "--cwd", "/srv", "--env", "EMPTY_TOKEN", "--env", )"
            R"("LANG", "--secret", )"
            R"("GITHUB_TOKEN=file:/home/ann/gateway.secrets/files.GITHUB_TOKEN", "--", )"
            R"("mcp-server-filesystem", "/srv/data"])");
  EXPECT_EQ(files.find("env").find("LANG").text(), "C.UTF-8");
  EXPECT_FALSE(files.find("env").find("GITHUB_TOKEN"));
  for (const std::string_view secret : {"hunter2", "s3cret", "hunter3"})
    EXPECT_FALSE(entries.contains(secret)) << secret;
}

TEST(WriteEntries, HoldNothingThatCannotBePasted) {
  auto file = read_client_file(
      R"({"mcpServers":{"db":{"command":"pg","args":["-v","postgres://ann:hunter2@db/main"],
          "cwd":"/srv"},"x":{"command":"y"}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  EXPECT_TRUE(has_wrap_entries(plan));
  const std::string entries = write_wrap_entries(plan, "bartizan");
  EXPECT_FALSE(entries.contains("hunter2"));
  EXPECT_FALSE(entries.contains("\"db\""));
  EXPECT_TRUE(entries.contains("\"x\""));
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0].pointer, "/mcpServers/db/args/1");
  const auto notes = note_unprinted_entries(plan, "/usr/bin/bartizan");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].pointer, "/mcpServers/db");
  EXPECT_EQ(notes[0].message,
            "is not among the wrapped programs, since secrets are not printed; to wrap it, write "
            R"("command": "/usr/bin/bartizan" in its entry, and in front of its args "wrap", )"
            R"("--name", "db", "--cwd", "/srv", "--", "pg")");
}

TEST(PlanInit, PointsToMembersWhoseNamesMustBeEscaped) {
  auto file = read_client_file(
      R"({"mcpServers":{"r":{"url":"https://mcp.example/mcp","headers":{"Mcp-~Key":"a"}}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  ASSERT_EQ(plan.notes.size(), 2U);
  EXPECT_EQ(plan.notes[0].pointer, "/mcpServers/r/headers/Mcp-~0Key");
}

TEST(WriteEntries, StandUnderTheNameThatTheClientReads) {
  auto file = read_client_file(R"({"servers":{"x":{"command":"y"}}})");
  ASSERT_TRUE(file.has_value());
  const InitPlan plan = plan_init(std::move(*file), "/s");
  for (const std::string& entry :
       {write_wrap_entries(plan, "b"), write_gateway_entry(plan, "http://h/", "k"),
        write_stdio_entry(plan, "/usr/bin/bartizan", "/home/ann/gateway.toml")}) {
    EXPECT_TRUE(entry.contains(R"("servers": {)")) << entry;
  }
  EXPECT_TRUE(write_stdio_entry(plan, "/usr/bin/bartizan", "/home/ann/gateway.toml")
                  .contains(R"("args": ["run", "--stdio", "/home/ann/gateway.toml"])"));
}

TEST(WriteEntries, ShowTheKeyInTheGatewaysEntryAlone) {
  const std::string entry = write_gateway_entry({}, "http://127.0.0.1:8080/mcp", "btz_k");
  EXPECT_TRUE(entry.contains(R"("BARTIZAN_KEY": "Bearer btz_k")"));
  EXPECT_TRUE(entry.contains(R"("Authorization:${BARTIZAN_KEY}")"));
}

}  // namespace
}  // namespace bartizan
