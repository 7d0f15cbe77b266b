#include "policy/review/find_approval_problems.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

/// Ann calls; bob and carl may approve.
Config sound() {
  Config config;
  for (const char* role : {"caller", "boss"})
    config.roles[role] = {.name = role};
  config.principals["ann"] = {.id = "ann", .roles = {"caller"}};
  config.principals["bob"] = {
      .id = "bob", .roles = {"boss"}, .identities = std::vector<std::string>{}};
  config.principals["carl"] = {
      .id = "carl", .roles = {"boss"}, .identities = std::vector<std::string>{}};
  for (const char* who : {"ann", "bob", "carl"})
    config.auth.api_keys.push_back({.name = who, .principal = who});
  config.servers["mail"] = {.name = "mail", .url = "https://mail.example.com/mcp"};
  config.console.emplace();
  config.state.emplace();
  config.rules["asks"] = {.name = "asks",
                          .effect = Effect::require_approval,
                          .roles = {"caller"},
                          .patterns = {"mail/*"},
                          .approval = {.approvers = {"boss"}}};
  return config;
}

std::vector<std::string> problems_of(const Config& config) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_approval_problems(config)) {
    const bool is_error = problem.severity == ConfigProblem::Severity::error;
    lines.push_back((is_error ? "error: " : "warning: ") + problem.message);
  }
  return lines;
}

using Change = std::function<void(Config&)>;
struct Row {
  std::string_view name;
  Change change;
  std::vector<std::string> problems;
};

TEST(FindApprovalProblems, FindsRulesThatNobodyCanSatisfy) {
  const std::vector<Row> rows{
      {"a sound one", [](Config&) {}, {}},
      {"no approvers",
       [](Config& c) { c.rules["asks"].approval.approvers.clear(); },
       {"error: rule \"asks\" lets nobody approve, so it always refuses"}},
      {"approvers without keys",
       [](Config& c) { c.auth.api_keys.resize(1); },
       {"error: rule \"asks\" wants 1 person to approve, and 0 with an API key or a key of "
        "[approvals] could, so it always refuses"}},
      {"one who signs elsewhere",
       [](Config& c) {
         c.auth.api_keys.resize(1);
         c.console.reset();
         c.approvals.keys["desk"] = {.name = "desk", .principal = "bob"};
       },
       {}},
      {"as many as there are", [](Config& c) { c.rules["asks"].approval.approvals = 2; }, {}},
      {"one more than there are",
       [](Config& c) { c.rules["asks"].approval.approvals = 3; },
       {"error: rule \"asks\" wants 3 persons to approve, and 2 with an API key or a key of "
        "[approvals] could, so it always refuses"}},
      {"two who are one person",
       [](Config& c) {
         c.rules["asks"].approval.approvals = 2;
         c.principals["carl"].identities.reset();
         c.principals["bob"].identities = std::vector<std::string>{"carl"};
       },
       {"error: rule \"asks\" wants 2 persons to approve, and 1 with an API key or a key of "
        "[approvals] could, so it always refuses"}},
      {"the one who calls is the one who approves",
       [](Config& c) {
         c.rules["asks"].roles.clear();
         c.rules["asks"].principals = {"bob"};
         c.rules["asks"].approval = {.principals = {"bob"}};
       },
       {"error: rule \"asks\" lets too few others approve what \"bob\" calls"}},
      {"… who may approve their own",
       [](Config& c) {
         c.rules["asks"].roles.clear();
         c.rules["asks"].principals = {"bob"};
         c.rules["asks"].approval = {.principals = {"bob"}, .self_approval = true};
       },
       {}},
      {"a rule for everyone, one of whom is the only approver",
       [](Config& c) {
         c.rules["asks"].roles = {"*"};
         c.rules["asks"].approval = {.principals = {"bob"}};
       },
       {"warning: rule \"asks\" lets too few others approve what \"bob\" calls"}},
      {"approvers of a provider",
       [](Config& c) {
         c.auth.api_keys.resize(1);
         c.auth.front_doors.push_back({.name = "corp"});
         c.auth.front_doors.back().provider.roles["groups"]["g1"] = {"boss"};
       },
       {}},
      {"a provider that gives another role",
       [](Config& c) {
         c.auth.api_keys.resize(1);
         c.auth.front_doors.push_back({.name = "corp"});
         c.auth.front_doors.back().provider.roles["groups"]["g1"] = {"caller"};
       },
       {"error: rule \"asks\" wants 1 person to approve, and 0 with an API key or a key of "
        "[approvals] could, so it always refuses"}},
      {"no state file",
       [](Config& c) { c.state.reset(); },
       {"error: rule \"asks\" wants approvals, and there is no state file to keep them"}},
      {"no console",
       [](Config& c) { c.console.reset(); },
       {"error: rule \"asks\" wants approvals, and nobody could answer"}},
      {"no console, and a local user who may approve own calls in a form",
       [](Config& c) {
         c.console.reset();
         c.auth.api_keys.clear();
         c.auth.stdio_principal = "bob";
         c.rules["asks"].approval.self_approval = true;
       },
       {}},
      {"no console, and a local user who may not approve own calls",
       [](Config& c) {
         c.console.reset();
         c.auth.stdio_principal = "bob";
       },
       {"error: rule \"asks\" wants approvals, and nobody could answer"}},
      {"a flow",
       [](Config& c) {
         c.rules.clear();
         c.flows["leak"] = {.name = "leak", .effect = Effect::require_approval};
       },
       {"error: flow \"leak\" lets nobody approve, so it always refuses"}},
      {"nothing wants approvals",
       [](Config& c) {
         c.rules.clear();
         c.state.reset();
         c.console.reset();
       },
       {}},
  };
  for (const Row& row : rows) {
    Config config = sound();
    row.change(config);
    EXPECT_EQ(problems_of(config), row.problems) << row.name;
  }
}

TEST(FindApprovalProblems, FindsServersThatCouldApproveByThemselves) {
  const std::string refusal =
      "error: server \"files\" runs as the gateway's account and is not confined: it could approve "
      "what rule \"asks\" wants approved";
  const std::vector<std::pair<std::string_view, std::pair<SandboxConfig, bool>>> rows{
      {"nothing confines it", {{}, false}},
      {"memory alone", {{.memory = 1 << 20}, false}},
      {"no network alone", {{.network = SandboxConfig::Network::none}, false}},
      {"another account", {{.user = "mcp"}, true}},
      {"its files by lists", {{.level = SandboxConfig::Level::process}, true}},
      {"a root of its own", {{.level = SandboxConfig::Level::container}, true}}};
  for (const auto& [name, sandbox] : rows) {
    Config config = sound();
    config.servers["files"] = {.name = "files", .command = {"/bin/x"}, .sandbox = sandbox.first};
    EXPECT_EQ(problems_of(config),
              sandbox.second ? std::vector<std::string>() : std::vector{refusal})
        << name;
  }
}

TEST(FindApprovalProblems, FindsServersThatReachWhatApprovalsRestOn) {
  const auto reaches = [](std::string folder) {
    Config config = sound();
    config.state->file = "/var/lib/gateway/state.db";
    config.servers["files"] = {
        .name = "files",
        .command = {"/bin/x"},
        .sandbox = {.level = SandboxConfig::Level::process, .read = {std::move(folder)}}};
    return !problems_of(config).empty();
  };
  for (const char* folder : {"/", "/var/", "/var/lib/gateway", "/var/lib/gateway/state.db"})
    EXPECT_TRUE(reaches(folder)) << folder;
  for (const char* folder : {"/usr", "/var/lib/gate", "/var/lib/gateway/state.db-2", "/srv"})
    EXPECT_FALSE(reaches(folder)) << folder;
}

TEST(FindApprovalProblems, FindsServersThatReachTheAdminSocket) {
  const auto reaches = [](SandboxConfig sandbox) {
    Config config = sound();
    config.admin.emplace();
    config.servers["files"] = {
        .name = "files", .command = {"/bin/x"}, .sandbox = std::move(sandbox)};
    return !problems_of(config).empty();
  };
  EXPECT_TRUE(reaches({.level = SandboxConfig::Level::process}));
  EXPECT_FALSE(reaches({.level = SandboxConfig::Level::container}));
  EXPECT_FALSE(reaches({.level = SandboxConfig::Level::process, .user = "mcp"}));
}

TEST(FindApprovalProblems, NamesPrincipalsOfWhomNothingSaysWhoTheyAre) {
  Config config = sound();
  config.rules["asks"].approval.approvals = 2;
  config.principals["carl"].identities.reset();
  EXPECT_EQ(problems_of(config),
            std::vector<std::string>{"warning: rule \"asks\" wants several persons, and each of "
                                     "these counts as one: \"carl\""});
  config.rules["asks"].approval.approvals = 1;
  EXPECT_EQ(problems_of(config), std::vector<std::string>());
}

}  // namespace
}  // namespace bartizan
