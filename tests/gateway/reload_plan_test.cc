#include "gateway/reload_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "gateway/server_definition.h"

namespace bartizan {
namespace {

using Change = std::function<void(Config&)>;

Config running() {
  Config config;
  config.admin = AdminConfig{.socket = "/run/admin.sock", .where = {}};
  config.audit.file = "/var/audit.jsonl";
  config.audit.digest_key = {.kind = SecretReference::Kind::file, .name = "/etc/audit.key"};
  config.principals["ann"] = {.id = "ann"};
  for (const std::string name : {"files", "github"}) {
    config.servers[name] = {.name = name, .command = {"/usr/bin/" + name}};
    config.servers[name].env_secrets["A"] = {.kind = SecretReference::Kind::environment,
                                             .name = "A_SECRET"};
  }
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
      {"process.workers", [](Config& config) { config.process.workers = 3; }},
      {"auth.stdio.principal", [](Config& config) { config.auth.stdio_principal = "ann"; }},
      {"audit.file", [](Config& config) { config.audit.file = "/elsewhere.jsonl"; }},
      {"audit.digest_key", [](Config& config) { config.audit.digest_key.name = "/other.key"; }},
      {"audit.digest_key", [](Config& config) { config.audit.digest_key = {}; }},
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

TEST(ReloadPlan, NamesTheRulesThatChanged) {
  Config before = running();
  for (const std::string name : {"moved", "changed", "removed"})
    before.rules[name] = {.name = name, .patterns = {"files/*"}};
  Config wanted = before;
  wanted.rules["moved"].where.line = 9;
  wanted.rules["changed"].effect = Effect::permit;
  wanted.rules.erase("removed");
  wanted.rules["new"] = {.name = "new"};
  const Result<ReloadPlan> plan = plan_reload(before, wanted);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->rules_added, std::vector<std::string>{"new"});
  EXPECT_EQ(plan->rules_changed, std::vector<std::string>{"changed"});
  EXPECT_EQ(plan->rules_removed, std::vector<std::string>{"removed"});
}

/// `added / removed / changed / gone principals`.
std::string told(const ReloadPlan& plan) {
  std::string text;
  for (const auto* names : {&plan.added, &plan.removed, &plan.changed, &plan.gone_principals}) {
    for (const std::string& name : *names)
      text += name + ' ';
    text += "/ ";
  }
  return text;
}

TEST(ReloadPlan, TellsWhatChanged) {
  const struct {
    std::string_view name;
    Change change;
    std::string_view want;
  } cases[] = {
      {"nothing", [](Config&) {}, "/ / / / "},
      {"another place in the file",
       [](Config& config) {
         config.servers["files"].where.line = 99;
         config.listen.where.line = 7;
         config.audit.digest_key.where.line = 8;
       },
       "/ / / / "},
      {"a path, a limit, a rule: a policy's affair",
       [](Config& config) {
         config.listen.path = "/other";
         config.limits["user"] = {.name = "user"};
         config.rules["r"] = {.name = "r"};
         config.process.drain = std::chrono::milliseconds(1);
         config.process.memory_max = 1;
         config.audit.durability = AuditConfig::Durability::disk;
       },
       "/ / / / "},
      {"a server more", [](Config& config) { config.servers["new"] = {.name = "new"}; },
       "new / / / / "},
      {"a server less", [](Config& config) { config.servers.erase("files"); }, "/ files / / / "},
      {"another command", [](Config& config) { config.servers["files"].command = {"/x"}; },
       "/ / files / / "},
      {"a principal less", [](Config& config) { config.principals.erase("ann"); }, "/ / / ann / "},
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

TEST(ServerDefinition, HasOtherInstancesForAllButTimeoutAndPrefix) {
  using Alter = std::function<void(ServerConfig&)>;
  const struct {
    std::string_view name;
    Alter alter;
    bool same;
  } cases[] = {
      {"nothing", [](ServerConfig&) {}, true},
      {"timeout", [](ServerConfig& s) { s.timeout = std::chrono::milliseconds(1); }, true},
      {"prefix", [](ServerConfig& s) { s.prefix = ServerConfig::Prefix::never; }, true},
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
      {"account", [](ServerConfig& s) { s.sandbox_user = "nobody"; }, false},
      {"memory", [](ServerConfig& s) { s.sandbox_memory = 1; }, false},
      {"open files", [](ServerConfig& s) { s.sandbox_open_files = 1; }, false},
      {"place of a variable's secret", [](ServerConfig& s) { s.env_secrets["A"].where.line = 7; },
       true},
      {"a variable's secret", [](ServerConfig& s) { s.env_secrets["A"].name = "OTHER"; }, false},
      {"secret", [](ServerConfig& s) { s.bearer.name = "OTHER"; }, false},
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
