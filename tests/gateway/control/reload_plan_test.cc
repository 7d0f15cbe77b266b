#include "gateway/control/reload_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "gateway/upstream/server_definition.h"

namespace bartizan {
namespace {

using Change = std::function<void(Config&)>;

Config running() {
  Config config;
  config.admin = AdminConfig{.socket = "/run/admin.sock", .where = {}};
  config.console = ConsoleConfig{.roles = {"operator"}};
  config.audit.file = "/var/audit.jsonl";
  config.audit.digest_key = {.kind = SecretReference::Kind::file, .name = "/etc/audit.key"};
  config.state = StateConfig{.file = "/var/state.db"};
  config.principals["ann"] = {.id = "ann"};
  config.sockets["build"] = {.name = "build", .path = "/run/build.sock"};
  config.sockets["plant"] = {.name = "plant", .address = HostPort{.host = "::1", .port = 7}};
  for (const std::string name : {"files", "github"}) {
    config.servers[name] = {.name = name, .command = {"/usr/bin/" + name}};
    config.servers[name].env_secrets["A"] = {.kind = SecretReference::Kind::environment,
                                             .name = "A_SECRET"};
  }
  for (const std::string name : {"old", "read"})
    config.rules[name] = {.name = name, .patterns = {"files/*"}};
  config.tools = {{.pattern = "files/*",
                   .arguments = {{.pointer = "/path", .predicate = PathPredicate{"docs"}}}}};
  config.paths["docs"] = {.name = "docs", .root = "/srv"};
  config.sqls["four"] = {.name = "four", .form = {.tables = {"users"}}};
  config.urls["pages"] = {.name = "pages", .form = {.hosts = {"example.com"}}};
  config.commands["build"] = {.name = "build", .form = {.programs = {"ls"}}};
  config.limits["user"] = {.name = "user", .rates = {{.count = 1}}};
  config.flows["leak"] = {.name = "leak"};
  config.roles["analyst"] = {.name = "analyst"};
  config.exports["siem"] = {.name = "siem"};
  config.alerts["desk"] = {.name = "desk"};
  config.auth.api_keys = {{.name = "laptop", .principal = "ann"}, {.name = "phone"}};
  return config;
}

TEST(ReloadPlan, RefusesWhatNeedsARestartAndNamesTheKey) {
  const struct {
    std::string_view key;
    Change change;
  } cases[] = {
      {"listen.address", [](Config& config) { config.listen.address.port = 1; }},
      {"listen.address", [](Config& config) { config.listen.address.host = "0.0.0.0"; }},
      {"metrics.address", [](Config& config) { config.metrics.address.port = 1; }},
      {"admin.socket", [](Config& config) { config.admin->socket = "/other.sock"; }},
      {"admin.socket", [](Config& config) { config.admin.reset(); }},
      {"console.address", [](Config& config) { config.console->address.port = 1; }},
      {"console.address", [](Config& config) { config.console.reset(); }},
      {"socket.build.path", [](Config& config) { config.sockets["build"].path = "/other.sock"; }},
      {"socket.build.open_to",
       [](Config& config) { config.sockets["build"].open_to = SocketConfig::OpenTo::group; }},
      {"socket.plant.address", [](Config& config) { config.sockets["plant"].address->port = 8; }},
      {"socket.plant.tls", [](Config& config) { config.sockets["plant"].tls.emplace(); }},
      {"socket.plant", [](Config& config) { config.sockets.erase("plant"); }},
      {"socket.new", [](Config& config) { config.sockets["new"] = {.path = "/new.sock"}; }},
      {"process.workers", [](Config& config) { config.process.workers = 3; }},
      {"auth.stdio.principal", [](Config& config) { config.auth.stdio_principal = "ann"; }},
      {"client.answers_only", [](Config& config) { config.client.answers_only = true; }},
      {"audit.file", [](Config& config) { config.audit.file = "/elsewhere.jsonl"; }},
      {"audit.digest_key", [](Config& config) { config.audit.digest_key.name = "/other.key"; }},
      {"audit.digest_key", [](Config& config) { config.audit.digest_key = {}; }},
      {"state.file", [](Config& config) { config.state->file = "/other.db"; }},
      {"state.file", [](Config& config) { config.state.reset(); }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.key);
    Config wanted = running();
    c.change(wanted);
    const Result<ReloadPlan> plan = plan_reload(running(), wanted);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().code, ErrorCode::config_invalid);
    EXPECT_TRUE(plan.error().detail.contains('"' + std::string(c.key) + '"'))
        << plan.error().detail;
  }
}

TEST(ReloadPlan, NamesEveryKeyThatNeedsARestart) {
  Config wanted = running();
  wanted.process.workers = 3;
  wanted.audit.file = "/elsewhere.jsonl";
  const Result<ReloadPlan> plan = plan_reload(running(), wanted);
  ASSERT_FALSE(plan.has_value());
  EXPECT_TRUE(plan.error().detail.contains(R"("process.workers", "audit.file")"));
}

TEST(ReloadPlan, NamesASettingOnce) {
  ReloadPlan plan;
  add_setting(plan, "listen.tls");
  add_setting(plan, "console.tls");
  add_setting(plan, "listen.tls");
  EXPECT_EQ(plan.settings_changed, (std::vector<std::string>{"listen.tls", "console.tls"}));
}

TEST(ReloadPlan, LetsSocketsServeOthers) {
  Config wanted = running();
  wanted.sockets["build"].users = {{"root", "ann"}};
  wanted.sockets["plant"].answers_only = true;
  EXPECT_TRUE(plan_reload(running(), wanted).has_value());
}

/// `rules+new rules-gone rules~changed …`, as the log has it.
std::string told(const ReloadPlan& plan) {
  std::string text;
  const auto tell = [&text](std::string_view kind, char sign,
                            const std::vector<std::string>& names) {
    for (const std::string& name : names)
      text += (text.empty() ? "" : " ") + std::string(kind) + sign + name;
  };
  std::vector<NameChanges> all{plan.servers};
  all.insert(all.end(), plan.of_policy.begin(), plan.of_policy.end());
  all.push_back(plan.principals);
  for (const NameChanges& changes : all) {
    tell(changes.kind, '+', changes.added);
    tell(changes.kind, '-', changes.removed);
    tell(changes.kind, '~', changes.changed);
  }
  tell("settings", '~', plan.settings_changed);
  return text;
}

TEST(ReloadPlan, TellsWhatChanged) {
  const struct {
    std::string_view name;
    Change change;
    std::string_view want;
  } cases[] = {
      {"nothing", [](Config&) {}, ""},
      {"another place in the file",
       [](Config& config) {
         config.servers["files"].where.line = 99;
         config.listen.where.line = 7;
         config.audit.digest_key.where.line = 8;
         config.rules["read"].where.line = 9;
         config.tools[0].where.line = config.tools[0].arguments[0].where.line = 10;
         config.paths["docs"].where.line = 11;
         config.limits["user"].where.line = 12;
         config.roles["analyst"].where.line = 13;
         config.auth.api_keys[0].where.line = 14;
       },
       ""},
      {"where clients come in",
       [](Config& config) {
         config.listen.path = "/other";
         config.listen.tls = TlsConfig{.cert = "/next.pem"};
         config.listen.proxies.networks = {"10.0.0.0/8"};
         config.metrics.allowed_hosts = {"gateway.example"};
       },
       "settings~listen.path settings~listen.tls settings~listen.trusted_proxies "
       "settings~metrics.allowed_hosts"},
      {"what the process may use",
       [](Config& config) {
         config.process.drain = std::chrono::milliseconds(1);
         config.process.memory_max = 1;
         config.process.start_wait = std::chrono::milliseconds(1);
         config.process.reload = ProcessConfig::Reload::signal;
       },
       "settings~process.memory_max settings~process.drain settings~process.start_wait "
       "settings~process.reload"},
      {"how the record is kept",
       [](Config& config) {
         config.audit.durability = AuditConfig::Durability::disk;
         config.audit.rotate_size = 4096;
         config.audit.retention = std::chrono::hours(24);
         config.audit.heads.emplace().file = "/heads.jws";
       },
       "settings~audit.durability settings~audit.rotate settings~audit.retention "
       "settings~audit.heads"},
      {"sessions and the log",
       [](Config& config) {
         config.session.idle = std::chrono::milliseconds(1);
         config.client.implies_handshake = true;
         config.log.level = LogConfig::Level::debug;
       },
       "settings~session.idle settings~client.handshake settings~log.level"},
      {"whom a socket serves", [](Config& config) { config.sockets["build"].principal = "ann"; },
       "settings~socket.build"},
      {"exports and alerts",
       [](Config& config) {
         config.exports["siem"].url = "https://siem.example";
         config.exports["new"] = {.name = "new"};
         config.alerts.erase("desk");
       },
       "exports+new exports~siem alerts-desk"},
      {"a server more", [](Config& config) { config.servers["new"] = {.name = "new"}; },
       "servers+new"},
      {"a server less", [](Config& config) { config.servers.erase("files"); }, "servers-files"},
      {"another command", [](Config& config) { config.servers["files"].command = {"/x"}; },
       "servers~files"},
      {"a principal less", [](Config& config) { config.principals.erase("ann"); },
       "principals-ann"},
      {"a principal's roles", [](Config& config) { config.principals["ann"].roles = {"x"}; },
       "principals~ann"},
      {"rules of each kind",
       [](Config& config) {
         config.rules["read"].effect = Effect::permit;
         config.rules.erase("old");
         config.rules["new"] = {.name = "new"};
       },
       "rules+new rules-old rules~read"},
      {"a guard less", [](Config& config) { config.tools.clear(); }, "tools-files/*"},
      {"a guard more", [](Config& config) { config.tools.push_back({.pattern = "**"}); },
       "tools+**"},
      {"a predicate less", [](Config& config) { config.tools[0].arguments.clear(); },
       "tools~files/*"},
      {"a predicate that lets an argument be missing",
       [](Config& config) { config.tools[0].arguments[0].optional = true; }, "tools~files/*"},
      {"a profile's timeout",
       [](Config& config) { config.tools[0].timeout = std::chrono::milliseconds(1); },
       "tools~files/*"},
      {"a profile's schema", [](Config& config) { config.tools[0].schema = "{}"; },
       "tools~files/*"},
      {"another program of commands",
       [](Config& config) { config.commands["build"].form.programs = {"rm"}; }, "commands~build"},
      {"another host of URLs", [](Config& config) { config.urls["pages"].form.hosts = {"**"}; },
       "urls~pages"},
      {"another table of SQL", [](Config& config) { config.sqls["four"].form.tables = {"**"}; },
       "sqls~four"},
      {"another root", [](Config& config) { config.paths["docs"].root = "/"; }, "paths~docs"},
      {"another rate", [](Config& config) { config.limits["user"].rates[0].count = 2; },
       "limits~user"},
      {"another end of a flow",
       [](Config& config) { config.flows["leak"].to = {ToolLabel::destructive}; }, "flows~leak"},
      {"a limit's queue", [](Config& config) { config.limits["user"].queue = 1; }, "limits~user"},
      {"a breaker", [](Config& config) { config.servers["files"].breaker.emplace(); }, ""},
      {"another trust", [](Config& config) { config.roles["analyst"].trust = Trust::system; },
       "roles~analyst"},
      {"a key's owner", [](Config& config) { config.auth.api_keys[0].principal = "bob"; },
       "keys~laptop"},
      {"keys in another order", [](Config& config) { std::ranges::reverse(config.auth.api_keys); },
       ""},
      {"who may use the console", [](Config& config) { config.console->roles = {"analyst"}; },
       "settings~console"},
      {"how approvals are asked for",
       [](Config& config) { config.approvals.wait = std::chrono::seconds(20); },
       "settings~approvals"},
      {"a key that signs decisions",
       [](Config& config) { config.approvals.signing_key.name = "/etc/next.pem"; },
       "settings~approvals"},
      {"whose decisions a key signs",
       [](Config& config) { config.approvals.keys["desk"].principal = "ann"; },
       "settings~approvals"},
      {"who is told of approvals",
       [](Config& config) { config.approvals.webhook.emplace().url = "x"; }, "settings~approvals"},
      {"the policy's own settings",
       [](Config& config) {
         config.policy.mode = PolicySettings::Mode::observe;
         config.policy.until = 1;
         config.policy.allow_unguarded_arguments = true;
       },
       "settings~policy.mode settings~policy.until settings~policy.unguarded_arguments"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Config wanted = running();
    c.change(wanted);
    const Result<ReloadPlan> plan = plan_reload(running(), wanted);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(told(*plan), c.want);
  }
}

TEST(ServerDefinition, HasOtherInstancesForAllButWhatCallsTakeFromTheirPolicy) {
  using Alter = std::function<void(ServerConfig&)>;
  const struct {
    std::string_view name;
    Alter alter;
    bool same;
  } cases[] = {
      {"nothing", [](ServerConfig&) {}, true},
      {"timeout", [](ServerConfig& s) { s.timeout = std::chrono::milliseconds(1); }, true},
      {"prefix", [](ServerConfig& s) { s.prefix = ServerConfig::Prefix::never; }, true},
      {"shown", [](ServerConfig& s) { s.shown = "my_files"; }, true},
      {"resource URIs",
       [](ServerConfig& s) { s.resource_uris = ServerConfig::ResourceUris::named; }, true},
      {"output schema", [](ServerConfig& s) { s.output_schema = ServerConfig::OutputSchema::warn; },
       true},
      {"errors", [](ServerConfig& s) { s.errors = ServerConfig::Errors::by_trust; }, true},
      {"folded names", [](ServerConfig& s) { s.folded_names = ServerConfig::FoldedNames::forward; },
       true},
      {"place", [](ServerConfig& s) { s.where.line = 3; }, true},
      {"place of its secret", [](ServerConfig& s) { s.bearer.where.line = 3; }, true},
      {"argument", [](ServerConfig& s) { s.command.emplace_back("-v"); }, false},
      {"url", [](ServerConfig& s) { s.url = "http://localhost/"; }, false},
      {"cwd", [](ServerConfig& s) { s.cwd = "/srv"; }, false},
      {"env", [](ServerConfig& s) { s.env["A"] = "1"; }, false},
      {"env_allow", [](ServerConfig& s) { s.env_allow = {"TZ"}; }, false},
      {"instances", [](ServerConfig& s) { s.instances = ServerConfig::Instances::per_session; },
       false},
      {"count", [](ServerConfig& s) { s.instance_count = 2; }, false},
      {"max_in_flight", [](ServerConfig& s) { s.max_in_flight = 1; }, false},
      {"features", [](ServerConfig& s) { s.client_features = {ClientFeature::roots}; }, false},
      {"account", [](ServerConfig& s) { s.sandbox.user = "nobody"; }, false},
      {"memory", [](ServerConfig& s) { s.sandbox.memory = 1; }, false},
      {"open files", [](ServerConfig& s) { s.sandbox.open_files = 1; }, false},
      {"network", [](ServerConfig& s) { s.sandbox.network = SandboxConfig::Network::none; }, false},
      {"executables", [](ServerConfig& s) { s.executables = {{"/bin/cat", "00"}}; }, false},
      {"place of a variable's secret", [](ServerConfig& s) { s.env_secrets["A"].where.line = 7; },
       true},
      {"a variable's secret", [](ServerConfig& s) { s.env_secrets["A"].name = "OTHER"; }, false},
      {"secret", [](ServerConfig& s) { s.bearer.name = "OTHER"; }, false},
      {"user", [](ServerConfig& s) { s.user = "ann"; }, false},
      {"password", [](ServerConfig& s) { s.password.name = "OTHER"; }, false},
      {"place of its password", [](ServerConfig& s) { s.password.where.line = 3; }, true},
      {"header", [](ServerConfig& s) { s.headers = {{.name = "X-A", .value = "1"}}; }, false},
      {"authority", [](ServerConfig& s) { s.ca_file = "/ca.pem"; }, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ServerConfig other = running().servers["files"];
    c.alter(other);
    EXPECT_EQ(has_same_instances(running().servers["files"], other), c.same);
  }
}

}  // namespace
}  // namespace bartizan
