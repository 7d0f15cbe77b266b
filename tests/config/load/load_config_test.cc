#include "config/load/load_config.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/checkout.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;

TEST(LoadConfig, ReadsTheExamplesWithoutAProblem) {
  for (const char* name : {"minimal.toml", "full.toml"}) {
    SCOPED_TRACE(name);
    const std::string file = project_file("config/") + name;
    EXPECT_EQ(all_text(load_config(file)), "");
    EXPECT_TRUE(check_against_schema(file).empty());
  }
}

TEST(LoadConfig, GivesTheDefaultsOfTheShippedLimits) {
  const Config config = load_config_text("version = 1\naudit.file = \"a\"", "/etc/b/c.toml").config;
  ASSERT_EQ(config.limits.size(), 3U);
  struct Row {
    std::string_view name;
    std::vector<LimitKey> per;
    std::uint64_t per_second;
    std::uint64_t per_minute;
  };
  const Row rows[] = {{"everyone", {}, 1000, 60000},
                      {"user", {LimitKey::principal}, 200, 6000},
                      {"tool", {LimitKey::principal, LimitKey::tool}, 100, 3000}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto found = config.limits.find(row.name);
    ASSERT_NE(found, config.limits.end());
    EXPECT_EQ(found->second.per, row.per);
    ASSERT_EQ(found->second.rates.size(), 2U);
    EXPECT_EQ(found->second.rates[0].count, row.per_second);
    EXPECT_EQ(found->second.rates[0].window, milliseconds(1'000));
    EXPECT_EQ(found->second.rates[1].count, row.per_minute);
    EXPECT_EQ(found->second.rates[1].window, milliseconds(60'000));
    // The full example says that its figures are the defaults.
    const Config full = load_config(project_file("config/full.toml")).config;
    EXPECT_EQ(full.limits.at(std::string(row.name)).rates[0].count, row.per_second);
    EXPECT_EQ(full.limits.at(std::string(row.name)).rates[1].count, row.per_minute);
  }
  EXPECT_EQ(config.session.authentication_timeout, milliseconds(30'000));
  EXPECT_EQ(config.session.session_timeout, milliseconds(3'600'000));
  EXPECT_EQ(config.session.max_concurrent, 100U);
  EXPECT_EQ(config.session.max_concurrent_sessions, 10'000U);
  EXPECT_EQ(config.audit.file, "/etc/b/a");
  EXPECT_EQ(config.listen.address.host, "127.0.0.1");
  EXPECT_EQ(config.listen.allowed_hosts.size(), 3U);
  EXPECT_EQ(config.auth.mode, AuthConfig::Mode::required);
  EXPECT_FALSE(config.policy.allow_unguarded_arguments);
}

TEST(LoadConfig, ReplacesADefaultLimitOfTheSameNameWhole) {
  const Config config =
      load_config_text(
          "version = 1\naudit.file = \"a\"\n[limit.user]\nper = [\"principal\"]\nconcurrency = 2\n",
          "c.toml")
          .config;
  EXPECT_TRUE(config.limits.at("user").rates.empty());
  EXPECT_EQ(config.limits.at("user").concurrency, 2U);
  EXPECT_EQ(config.limits.size(), 3U);
}

TEST(LoadConfig, ReadsEveryValueOfTheFullExample) {
  const LoadedConfig loaded = load_config(project_file("config/full.toml"));
  const Config& config = loaded.config;
  EXPECT_EQ(config.listen.address.host, "0.0.0.0");
  EXPECT_EQ(config.listen.address.port, 8443);
  EXPECT_EQ(config.listen.allowed_hosts, std::vector<std::string>{"gateway.example.com"});
  ASSERT_TRUE(config.listen.tls.has_value());
  EXPECT_EQ(config.listen.tls->key.name, project_file("config/tls/key.pem"));
  EXPECT_EQ(config.process.memory_max, std::uint64_t{512} << 20);
  const EndpointConfig& desk = config.endpoints.at("desk");
  EXPECT_EQ(desk.path, "/mcp");
  EXPECT_EQ(desk.auth, std::vector<std::string>{"api_key.ann-laptop"});
  EXPECT_EQ(desk.servers, std::vector<std::string>{"files"});
  EXPECT_EQ(desk.tools, std::vector<std::string>{"files/*"});
  EXPECT_EQ(desk.resource, "https://gateway.example.com/mcp");
  ASSERT_EQ(config.auth.api_keys.size(), 1U);
  EXPECT_EQ(config.auth.api_keys[0].expires, 1'801'353'600);  // 2027-01-31T00:00:00Z
  EXPECT_EQ(config.auth.stdio_principal, "ann");
  EXPECT_EQ(config.servers.at("files").env_secrets.at("API_TOKEN").name,
            "/run/secrets/files-token");
  EXPECT_EQ(config.principals.at("ann").attributes.at("team"), "data");
  EXPECT_EQ(config.roles.at("analyst").trust, Trust::verified);
  EXPECT_EQ(config.servers.at("files").sandbox,
            (SandboxConfig{.level = SandboxConfig::Level::process,
                           .user = "mcp-files",
                           .home = "/var/lib/mcp-files",
                           .network = SandboxConfig::Network::none,
                           .read = {"/usr", "/etc"},
                           .write = {"/srv/data"},
                           .memory = std::uint64_t{256} << 20,
                           .open_files = 256,
                           .total_memory = std::uint64_t{1} << 30,
                           .processes = 64,
                           .cpu_percent = 150}));
  EXPECT_EQ(config.pins.volatile_members, std::vector<std::string>{"/_meta/build"});
  EXPECT_EQ(config.servers.at("osquery").executables.size(), 2U);
  EXPECT_EQ(config.servers.at("github").bearer.name, "/run/secrets/github-token");
  const ServerConfig& tickets = config.servers.at("tickets");
  EXPECT_EQ(tickets.user, "gateway");
  EXPECT_EQ(tickets.password.name, "/run/secrets/tickets-password");
  ASSERT_EQ(tickets.headers.size(), 2U);
  EXPECT_EQ(tickets.headers[0].name, "X-Api-Key");
  EXPECT_EQ(tickets.headers[0].secret.kind, SecretReference::Kind::environment);
  EXPECT_EQ(tickets.headers[0].secret.name, "TICKETS_KEY");
  EXPECT_EQ(tickets.headers[0].value, "");
  EXPECT_EQ(tickets.headers[1].name, "X-Org");
  EXPECT_EQ(tickets.headers[1].value, "acme");
  EXPECT_EQ(tickets.headers[1].secret.kind, SecretReference::Kind::none);
  EXPECT_EQ(config.client.null_members, ClientConfig::NullMembers::remove);
  EXPECT_FALSE(config.client.answers_only);
  const PathConfig& notes = config.paths.at("notes");
  EXPECT_EQ(notes.root, "/srv/data");
  EXPECT_EQ(notes.base, "/srv/data");
  EXPECT_EQ(notes.kind, PathConfig::Kind::file);
  EXPECT_EQ(config.paths.at("docs").kind, PathConfig::Kind::any);
  EXPECT_EQ(notes.extensions, (std::vector<std::string>{".md", ".txt"}));
  EXPECT_TRUE(notes.refuse_hidden);
  EXPECT_EQ(notes.allow.size(), 2U);
  EXPECT_EQ(notes.deny, std::vector<std::string>{"reports/raw"});
  EXPECT_EQ(notes.deny_names.size(), 2U);
  EXPECT_EQ(notes.writable, std::vector<std::string>{"REPORT_{date}_{nn}.md"});
  EXPECT_FALSE(notes.folds_case);
  EXPECT_EQ(notes.refuse_windows_names, true);
  EXPECT_EQ(notes.resolve, PathConfig::Resolve::lexical);
  EXPECT_EQ(config.paths.at("templates").resolve, PathConfig::Resolve::filesystem);
  EXPECT_EQ(config.paths.at("templates").content, PathConfig::Content::text);
  EXPECT_TRUE(config.urls.at("pages").form.resolve);
  EXPECT_EQ(config.servers.at("files").output_schema, ServerConfig::OutputSchema::withhold);
  EXPECT_EQ(config.servers.at("files").shown, "my_files");
  ASSERT_EQ(config.tools.size(), 7U);
  EXPECT_EQ(config.tools[0].timeout, milliseconds(5'000));
  EXPECT_EQ(config.tools[0].categories.size(), 2U);
  EXPECT_EQ(config.tools[0].risk, Risk::low);
  EXPECT_EQ(config.tools[0].max_result, std::uint64_t{10} << 20);
  EXPECT_EQ(config.tools[1].entries, ToolProfile::Entries::lines);
  EXPECT_FALSE(config.tools[1].listed);
  EXPECT_EQ(config.rules.at("analysts-read-documents").patterns.at(0), "files/file:///srv/data/**");
  EXPECT_EQ(config.rules.at("github-writes-need-a-person").approval.valid_for,
            std::chrono::minutes(10));
  EXPECT_TRUE(config.pins.tools.at("github").at("get_issue").hints.read_only);
  ASSERT_EQ(config.tools[0].arguments.size(), 11U);
  EXPECT_TRUE(config.tools[0].arguments[1].optional);
  EXPECT_TRUE(config.tools[0].arguments[3].predicate == Predicate(NumberPredicate{"1", "10000"}));
  EXPECT_TRUE(config.commands.at("build").form.allow_globs);
  EXPECT_EQ(config.commands.at("build").form.arguments.at("git").size(), 5U);
  EXPECT_EQ(config.urls.at("pages").form.ports, (std::vector<std::uint16_t>{443, 8443}));
  EXPECT_EQ(config.tools[4].arguments.size(), 3U);
  EXPECT_EQ(config.sqls.at("four-tables").form.dialect, SqlDialect::sqlite);
  EXPECT_EQ(config.sqls.at("four-tables").form.functions->size(), 4U);
  EXPECT_EQ(config.tools[5].arguments.size(), 2U);
  EXPECT_EQ(config.tools[2].schema, R"({"properties":{"head":{"maximum":1000}}})");
  EXPECT_EQ(config.tools[2].additional_properties, ToolProfile::AdditionalProperties::refuse);
  EXPECT_EQ(config.tools[2].formats, ToolProfile::Formats::assert_them);
  EXPECT_EQ(config.policy.mode, PolicySettings::Mode::observe);
  EXPECT_EQ(config.rules.at("analysts-read-documents").target, RuleTarget::resources);
  EXPECT_EQ(config.rules.at("analysts-open-issues-at-acme").expires, 1'806'451'200);  // 2027-03-31
  EXPECT_EQ(config.rules.at("no-old-clients-at-weekends").when.facts.size(), 8U);
  EXPECT_EQ(config.servers.at("files").trust, Trust::verified);
  EXPECT_TRUE(config.rules.at("nobody-writes").answer_as_result);
  EXPECT_TRUE(config.rules.at("nobody-sees-deletion").hide);
  EXPECT_EQ(config.limits.at("same-call").except_tools, std::vector<std::string>{"*/get_status"});
  EXPECT_EQ(config.limits.at("same-call").rates[0].window, milliseconds(60'000));
  const LimitConfig& team = config.limits.at("team");
  EXPECT_EQ(team.per_attributes, std::vector<std::string>{"team"});
  ASSERT_EQ(team.rates.size(), 3U);
  EXPECT_EQ(team.rates[1].unit, LimitUnit::cost);
  EXPECT_EQ(team.rates[1].window, milliseconds(86'400'000));
  EXPECT_EQ(team.rates[2].unit, LimitUnit::bytes);
  EXPECT_EQ(team.rates[2].count, std::uint64_t{256} << 20);
  EXPECT_TRUE(config.limits.at("circles").loop == LoopConfig());  // The file says the defaults.
  EXPECT_EQ(config.tools[0].cost, 2U);
  EXPECT_EQ(config.tools[0].labels, std::vector{ToolLabel::private_data});
  EXPECT_EQ(config.limits.at("tool").queue, 32U);
  EXPECT_EQ(config.limits.at("tool").queue_timeout, LimitConfig().queue_timeout);
  ASSERT_TRUE(config.servers.at("files").breaker.has_value());
  EXPECT_EQ(config.servers.at("files").breaker->open, BreakerConfig().open);
  const FlowConfig& flow = config.flows.at("nothing-private-leaves");
  EXPECT_EQ(flow.after, (std::vector{ToolLabel::untrusted, ToolLabel::private_data}));
  EXPECT_EQ(flow.to, std::vector{ToolLabel::public_sink});
  EXPECT_EQ(flow.window, FlowConfig().window);
  EXPECT_EQ(config.audit.rotate_size, std::uint64_t{256} << 20);
  EXPECT_EQ(config.audit.rotate_age, milliseconds(86'400'000));
  EXPECT_EQ(config.audit.retention, milliseconds(90 * std::int64_t{86'400'000}));
  EXPECT_EQ(text(config, config.audit.where), project_file("config/full.toml:551:2"));
  ASSERT_TRUE(config.capture.has_value());
  EXPECT_EQ(config.capture->file, "/var/lib/bartizan/capture.jsonl");
  EXPECT_EQ(config.capture->max_size, CaptureConfig().max_size);  // The file says the defaults.
  EXPECT_EQ(config.capture->max_age, CaptureConfig().max_age);
  ASSERT_TRUE(config.state.has_value());
  EXPECT_EQ(config.state->file, "/var/lib/bartizan/state.db");
}

TEST(LoadConfig, WarnsWhereAServerHasTheGatewaysOwnFilesOnItsLists) {
  const struct {
    std::string_view name, lists, want;
  } rows[] = {
      {"elsewhere", R"(read = ["/usr"], write = ["/srv/data"])", ""},
      {"a folder beside", R"(write = ["/var/lib/gate"], read = ["/usr"])", ""},
      {"a name that begins alike", R"(write = ["/var/lib/gateway/state"])", ""},
      {"the folder to write", R"(write = ["/var/lib/gateway"])", "the record|the state file|"},
      {"the folder to read", R"(read = ["/usr", "/var/lib"])", "the record|the state file|"},
      {"the home", R"(home = "/var/lib/gateway", write = ["/x"])", "the record|the state file|"},
      {"the file", R"(read = ["/var/lib/gateway/state.db"])", "the state file|"},
      {"what is written ahead", R"(read = ["/var/lib/gateway/state.db-wal"])", "the state file|"},
      {"its journal", R"(write = ["/var/lib/gateway/state.db-journal"])", "the state file|"},
      {"its index", R"(write = ["/var/lib/gateway/state.db-shm"])", "the state file|"},
      {"a capture", R"(write = ["/var/capture"])", "the capture|"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load_config_text(
        "version = 1\naudit.file = \"/var/lib/gateway/audit.jsonl\"\n"
        "state.file = \"/var/lib/gateway/state.db\"\ncapture.file = \"/var/capture/c.jsonl\"\n"
        "server.s.command = [\"p\"]\nserver.s.sandbox = { level = \"process\", " +
            std::string(row.lists) + " }\n",
        "c.toml");
    ASSERT_TRUE(loaded.usable()) << all_text(loaded);
    std::string told;
    for (const ConfigProblem& problem : loaded.problems) {
      EXPECT_TRUE(problem.message.contains("the sandbox of \"s\" lists \"/var/"));
      const std::size_t begin = problem.message.find(", and so ") + 9;
      told += problem.message.substr(begin, problem.message.find(" of the gateway") - begin) + "|";
    }
    EXPECT_EQ(told, row.want);
  }
}

TEST(LoadConfig, AddsWhatIsIncludedInTheOrderOfTheNames) {
  const Folder folder;
  folder.write("policy.d/b.toml", "[role.b]\n");
  folder.write("policy.d/a.toml",
               "version = 1\n[role.a]\n[auth.api_key.k]\nprincipal = \"p\"\n"
               "sha256 = \"" +
                   std::string(64, 'a') + "\"\n");
  folder.write("policy.d/.b.toml.swp", "no TOML");
  const std::string main =
      folder.write("c.toml",
                   "version = 1\ninclude = [\"policy.d/*.toml\"]\naudit.file = \"x\"\n"
                   "[auth.api_key.l]\nprincipal = \"p\"\nsha256 = \"" +
                       std::string(64, 'b') + "\"\n[principal.p]\nroles = [\"a\", \"b\"]\n");
  const LoadedConfig loaded = load_config(main);
  EXPECT_EQ(all_text(loaded), "");
  EXPECT_TRUE(check_against_schema(main).empty());
  EXPECT_EQ(loaded.config.roles.size(), 2U);
  EXPECT_EQ(loaded.config.auth.api_keys.size(), 2U);
  const std::vector<std::string> files{main, folder.name("policy.d/a.toml"),
                                       folder.name("policy.d/b.toml")};
  EXPECT_EQ(loaded.config.files, files);
}

// Every table whose members the operator names can be spread over files.
TEST(LoadConfig, JoinsTheNamedTablesOfAllFiles) {
  const auto tables = [](const std::string& name) {
    return "[path." + name + "]\nroot = \"/srv/" + name + "\"\n[url." + name +
           "]\nhosts = [\"example.com\"]\n[sql." + name +
           "]\ndialect = \"sqlite\"\ntables = [\"t\"]\n[command." + name +
           "]\nprograms = [\"ls\"]\n[server." + name +
           "]\nurl = \"https://example.com/\"\n[tool.\"" + name +
           "/*\"]\nlabels = [\"private\", \"public_sink\"]\n[rule." + name +
           "]\neffect = \"forbid\"\nroles = [\"*\"]\ntools = [\"" + name + "/*\"]\n[limit." + name +
           "]\nrate = [\"1/s\"]\nper = []\n[flow." + name +
           "]\nafter = [\"private\"]\nto = [\"public_sink\"]\n[role." + name + "]\n[endpoint." +
           name + "]\npath = \"/" + name + "\"\n";
  };
  const Folder folder;
  folder.write("more.toml", tables("b"));
  const std::string main = folder.write(
      "c.toml", "version = 1\ninclude = [\"more.toml\"]\naudit.file = \"x\"\n" + tables("a"));
  const LoadedConfig loaded = load_config(main);
  EXPECT_TRUE(loaded.usable()) << all_text(loaded);
  const Config& config = loaded.config;
  const std::size_t sizes[] = {config.paths.size(),    config.urls.size(),    config.sqls.size(),
                               config.commands.size(), config.servers.size(), config.tools.size(),
                               config.rules.size(),    config.flows.size(),   config.roles.size(),
                               config.endpoints.size()};
  for (const std::size_t size : sizes)
    EXPECT_EQ(size, 2U);
}

// What was read can be read again from its texts, whatever has become of the files.
TEST(ConfigSources, ReadAConfigurationAgainAsItWas) {
  const Folder folder;
  folder.write("more.toml", "[role.b]\nremembered = \"no\"\n");
  folder.write("s.json", R"({"maxProperties": 2})");
  const std::string main = folder.write(
      "c.toml",
      "version = 1\ninclude = [\"more.toml\"]\naudit.file = \"x\"\n[role.a]\n"
      "[server.s]\nurl = \"https://example.com/\"\n[tool.\"s/*\"]\nschema = \"file:s.json\"\n");
  const LoadedConfig before = load_config(main);
  folder.write("more.toml", "");
  folder.write("s.json", "");
  folder.write("c.toml", "");
  const std::string json = encode_sources(*before.config.sources);
  const Result<ConfigSources> sources = decode_sources(json);
  ASSERT_TRUE(sources.has_value());
  const LoadedConfig after = load_config(*sources);
  EXPECT_EQ(all_text(after), all_text(before)) << "places included";
  EXPECT_NE(all_text(after), "");
  EXPECT_EQ(after.config.digest, before.config.digest);
  EXPECT_EQ(after.config.files, before.config.files);
  EXPECT_EQ(after.config.roles.size(), 2U);
  ASSERT_EQ(after.config.tools.size(), 1U);
  EXPECT_EQ(after.config.tools[0].schema, R"({"maxProperties": 2})");
  EXPECT_EQ(encode_sources(*after.config.sources), json);
  for (const std::string_view no : {"", "[]", "{}", R"({"files":[]})", R"({"files":)", "x"})
    EXPECT_FALSE(decode_sources(no).has_value()) << no;
}

TEST(LoadConfig, RefusesIncludesThatOverrideOrIncludeOrAreAbsent) {
  const Folder folder;
  folder.write("twice.toml", "[log]\nlevel = \"debug\"\n[role.a]\ntrust = \"system\"\n");
  folder.write("nested.toml", "include = [\"c.toml\"]\nversion = 2\n");
  const std::string main =
      folder.write("c.toml",
                   "version = 1\ninclude = [\"twice.toml\", \"nested.toml\", \"z*.toml\"]\n"
                   "audit.file = \"x\"\n[log]\n[role.a]\n");
  const std::string twice = folder.name("twice.toml");
  const std::string hint = "; included files add, they never override\n";
  EXPECT_EQ(all_text(load_config(main)),
            main + ":2:41: warning: no file matches \"" + folder.name("z*.toml").substr(0, 64) +
                (folder.name("z*.toml").size() > 64 ? "…" : "") + "\"\n" + twice +
                ":1:2: error: \"log\" is already given at " + main + ":4:2" + hint + twice +
                ":3:7: error: \"a\" is already given at " + main + ":5:7" + hint +
                folder.name("nested.toml") +
                ":1:1: error: an included file cannot include others\n" +
                folder.name("nested.toml") + ":2:11: error: \"version\" must be 1\n");
  const std::string absent = folder.write("d.toml", "version = 1\ninclude = [\"no.toml\"]\n");
  const LoadedConfig loaded = load_config(absent);
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_TRUE(loaded.problems[0].message.starts_with("cannot read")) << all_text(loaded);
  EXPECT_EQ(loaded.problems[0].where, absent + ":2:12");
}

TEST(LoadConfig, SaysWhatStandsInPlaceOfAConfiguration) {
  const Folder folder;
  const struct {
    std::string file;
    std::string_view want;
  } cases[] = {
      {folder.name("gone.toml"), ": no such file\n"},
      {folder.name(""), ": it is a folder\n"},
      {folder.write("c.json", "{ \"mcpServers\": {} }\n"),
       "; this looks like JSON: bartizan init FILE makes a configuration of a client's settings\n"},
  };
  for (const auto& c : cases) {
    const LoadedConfig loaded = load_config(c.file);
    EXPECT_FALSE(loaded.usable());
    EXPECT_TRUE(all_text(loaded).ends_with(c.want)) << all_text(loaded);
  }
}

TEST(LoadConfig, NamesThePolicyByTheBytesOfAllFiles) {
  const Folder folder;
  folder.write("a.toml", "");
  const std::string main =
      folder.write("c.toml", "version = 1\ninclude = [\"a.toml\"]\naudit.file = \"x\"\n");
  const std::string before = load_config(main).config.digest;
  EXPECT_EQ(before.size(), 64U);
  folder.write("a.toml", "# a comment\n");
  EXPECT_NE(load_config(main).config.digest, before);
}

TEST(LoadConfig, HasTheDigestThatSha256sumGives) {
  EXPECT_EQ(load_config_text("", "c.toml").config.digest,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(LoadConfig, SurvivesWhatIsNoFile) {
  const Folder folder;
  EXPECT_FALSE(load_config(folder.name("absent.toml")).usable());
  EXPECT_FALSE(load_config(folder.name("policy.d")).usable());
}

TEST(LoadConfig, BoundsSizeAndDepth) {
  struct Row {
    std::string_view name;
    std::string text;
    std::string_view message;
  };
  std::string dots = "a";
  for (int i = 0; i < 200'000; ++i)
    dots += ".a";
  const Row rows[] = {
      {"file", std::string((std::size_t{4} << 20) + 1, '#'), "the file is larger than 4 MiB"},
      {"dotted key", dots + " = 1", "a dotted key has more than 32 parts"},
      {"dotted header", "# \"\n\n[" + dots + "]", "a dotted key has more than 32 parts"},
      {"dots behind a string", "x = '''\n''\\'''\n" + dots + " = 1",
       "a dotted key has more than 32 parts"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded = load_config_text(row.text, "c.toml");
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.problems[0].message, row.message);
  }
  const std::string brackets = "x = " + std::string(100'000, '[');
  EXPECT_FALSE(load_config_text(brackets, "c.toml").usable());
  const LoadedConfig many = load_config_text("x = \"" + dots + "\" # " + dots, "c.toml");
  EXPECT_TRUE(all_text(many).contains("unknown key \"x\"")) << all_text(many);
}

}  // namespace
}  // namespace bartizan
