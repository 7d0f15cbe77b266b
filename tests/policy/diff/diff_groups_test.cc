#include "policy/diff/diff_groups.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/check/compile_policy.h"
#include "policy/diff/diff_edges.h"
#include "policy/explain/case_call.h"
#include "policy/explain/pinned_definitions.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

const DiffTarget kRead{TargetKind::tool, "files", "read_text", "files/read_text"};
const DiffTarget kWrite{TargetKind::tool, "files", "write", "files/write"};

/// Two roles and two principals who are told apart by their names alone, and one tool that needs a
/// permission.
Config twins() {
  Config config = sample_config();
  config.roles.clear();
  config.principals.clear();
  for (const std::string role : {"left", "right"}) {
    config.roles[role] = {
        .name = role, .permissions = {"read:files"}, .trust = Trust::verified, .where = {}};
    config.principals["of-" + role] = {.id = "of-" + role, .roles = {role}};
  }
  add_rule(config, sample_rule("read", permit, {"left", "right"}, {"files/*"}));
  RuleConfig ask = sample_rule("ask", require_approval, {"*"}, {"mail/*"});
  ask.approval.approvers = {"boss"};
  add_rule(config, ask);
  config.tools = {{.pattern = "files/*", .permissions = {"read:files"}}};
  return config;
}

std::size_t groups(const Config& older, const Config& newer, const std::string& kind) {
  std::vector<DiffCaller> callers{{.role = "left"}, {.role = "right"}};
  if (kind == "principals") callers = {{.principal = "of-left"}, {.principal = "of-right"}};
  return group_callers(TargetEntries(older), TargetEntries(newer), callers, kRead).size();
}

// Each row changes one of two callers, and nothing else.
TEST(DiffGroups, JoinOnlyCallersWhoAreAnsweredAlike) {
  const struct {
    std::string_view name;
    std::function<void(Config&)> change;
    std::size_t roles, principals;
  } rows[] = {
      {"nothing", [](Config&) {}, 1, 1},
      {"a permission that the tool needs", [](Config& c) { c.roles["left"].permissions.clear(); },
       2, 2},
      {"the same permission by a wildcard",
       [](Config& c) { c.roles["left"].permissions = {"read:*"}; }, 1, 1},
      {"a permission that it does not need",
       [](Config& c) { c.roles["left"].permissions.emplace_back("write:files"); }, 1, 1},
      {"trust", [](Config& c) { c.roles["left"].trust = Trust::community; }, 2, 2},
      {"attributes, which only limits go by",
       [](Config& c) { c.principals["of-left"].attributes["team"] = "blue"; }, 1, 1},
      {"a rule that names the principal",
       [](Config& c) {
         RuleConfig rule = sample_rule("own", permit, {}, {"files/read_text"});
         rule.principals = {"of-left"};
         add_rule(c, rule);
       },
       1, 2},
      {"the same of another tool",
       [](Config& c) {
         RuleConfig rule = sample_rule("own", permit, {}, {"files/write"});
         rule.principals = {"of-left"};
         add_rule(c, rule);
       },
       1, 1},
      {"a rule that names the role",
       [](Config& c) { add_rule(c, sample_rule("no", forbid, {"left"}, {"files/read_*"})); }, 2, 2},
      {"a rule about methods",
       [](Config& c) {
         add_rule(c, sample_rule("m", permit, {"left"}, {"tasks/*"}, RuleTarget::methods));
       },
       2, 2},
      {"a role", [](Config& c) { c.principals["of-left"].roles.clear(); }, 1, 2},
      {"a role that no rule about it names",
       [](Config& c) {
         c.roles["extra"] = {.name = "extra", .trust = Trust::system};
         c.principals["of-left"].roles.emplace_back("extra");
       },
       1, 1},
      {"the right to approve",
       [](Config& c) {
         c.roles["boss"] = {.name = "boss", .trust = Trust::system};
         c.principals["of-left"].roles.emplace_back("boss");
       },
       1, 2},
      {"being there", [](Config& c) { c.principals.erase("of-left"); }, 1, 2},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config changed = twins();
    row.change(changed);
    // It counts on either side.
    EXPECT_EQ(groups(twins(), changed, "roles"), row.roles);
    EXPECT_EQ(groups(changed, twins(), "roles"), row.roles);
    EXPECT_EQ(groups(twins(), changed, "principals"), row.principals);
    EXPECT_EQ(groups(changed, changed, "principals"), row.principals);
  }
}

/// Of the fingerprint that the definition has, so that its approval counts.
PinnedTool pinned(const std::string& name, const std::string& more) {
  PinnedTool tool{
      .definition = R"({"name":")" + name + R"(","inputSchema":{"type":"object"})" + more + "}",
      .is_approved = true};
  const Bytes bytes{std::string_view(tool.definition)};
  JsonDocument document;
  tool.hints = read_tool_hints(document.read(bytes)->find("annotations"));
  tool.fingerprint = read_listed_tool(tool.definition, kResponseLimits).value().fingerprint;
  return tool;
}

TEST(DiffGroups, JoinOnlyTargetsThatAreJudgedAlike) {
  const struct {
    std::string_view name;
    std::function<void(Config&)> change;
    std::size_t want;
  } rows[] = {
      {"nothing", [](Config&) {}, 1},
      {"a rule about one",
       [](Config& c) { add_rule(c, sample_rule("no", forbid, {"*"}, {"files/write"})); }, 2},
      {"a rule about both",
       [](Config& c) { add_rule(c, sample_rule("no", forbid, {"*"}, {"files/*"})); }, 1},
      {"a profile of one", [](Config& c) { c.tools.push_back({.pattern = "files/wr*"}); }, 2},
      {"what a lock file has of one",
       [](Config& c) { c.pins.tools["files"]["write"] = pinned("write", ""); }, 2},
      {"the same of both",
       [](Config& c) {
         c.pins.tools["files"]["write"] = pinned("write", R"(,"description":"writes")");
         c.pins.tools["files"]["read_text"] = pinned("read_text", R"(,"title":"Read")");
       },
       1},
      {"a hint of one",
       [](Config& c) {
         c.pins.tools["files"]["write"] =
             pinned("write", R"(,"annotations":{"destructiveHint":true})");
         c.pins.tools["files"]["read_text"] = pinned("read_text", "");
       },
       2},
      {"the same hint, which is approved of one",
       [](Config& c) {
         for (const std::string tool : {"read_text", "write"})
           c.pins.tools["files"][tool] = pinned(tool, R"(,"annotations":{"readOnlyHint":true})");
         c.pins.tools["files"]["write"].fingerprint = "another";
       },
       2},
      {"another schema",
       [](Config& c) {
         c.pins.tools["files"]["write"] = pinned("write", "");
         c.pins.tools["files"]["read_text"] = pinned("read_text", "");
         c.pins.tools["files"]["read_text"].definition =
             R"({"name":"read_text","inputSchema":{"type":"object","required":["a"]}})";
       },
       2},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config changed = twins();
    row.change(changed);
    EXPECT_EQ(group_targets(TargetEntries(twins()), TargetEntries(changed), {kRead, kWrite}).size(),
              row.want);
    EXPECT_EQ(group_targets(TargetEntries(changed), TargetEntries(twins()), {kRead, kWrite}).size(),
              row.want);
  }
}

TEST(DiffGroups, LeaveResourcesAndMethodsAlone) {
  const std::set<DiffTarget> targets{{TargetKind::resource, "files", "file:///a", "a"},
                                     {TargetKind::resource, "files", "file:///b", "b"},
                                     {TargetKind::none, "", "logging/setLevel", "m"},
                                     {TargetKind::none, "", "tasks/get", "n"}};
  EXPECT_EQ(group_targets(TargetEntries(twins()), TargetEntries(twins()), targets).size(),
            targets.size());
}

// The server of one runs elsewhere, which relative paths go by.
TEST(DiffGroups, TellServersApart) {
  Config other = twins();
  other.servers["mail"].cwd = other.servers["files"].cwd;
  other.rules.clear();
  other.tools.clear();
  const std::set<DiffTarget> targets{kRead, {TargetKind::tool, "mail", "send", "mail/send"}};
  EXPECT_EQ(group_targets(TargetEntries(other), TargetEntries(other), targets).size(), 1U);
  Config moved = other;
  moved.servers["mail"].cwd = "/elsewhere";
  EXPECT_EQ(group_targets(TargetEntries(other), TargetEntries(moved), targets).size(), 2U);
  moved = other;
  moved.servers["mail"].trust = Trust::system;
  EXPECT_EQ(group_targets(TargetEntries(moved), TargetEntries(other), targets).size(), 2U);
}

/// Makes policies that differ in whatever callers and targets are told apart by.
class RandomPolicies {
 public:
  explicit RandomPolicies(std::uint32_t seed) : random_(seed) {}

  Config make() {
    Config config;
    for (const std::string server : {"files", "mail"})
      config.servers[server] = {.name = server, .cwd = one({"/a", "/b"}), .trust = trust()};
    for (const std::string role : {"r0", "r1", "r2"})
      config.roles[role] = {
          .name = role, .permissions = some({"a:x", "a:*", "b:y"}), .trust = trust()};
    for (const std::string id : {"p0", "p1", "p2", "p3"})
      config.principals[id] = {.id = id, .roles = some({"r0", "r1", "r2"})};
    for (const std::string name : {"k0", "k1", "k2", "k3", "k4"})
      config.rules[name] = make_rule(name);
    for (const std::string pattern : {"*/*", "files/t*", "mail/t0"}) {
      ToolProfile profile{.pattern = pattern, .permissions = some({"a:x", "b:y"})};
      if (draw(2) == 0) profile.arguments.push_back({"/n", NumberPredicate{"1", "9"}, true});
      config.tools.push_back(profile);
    }
    if (draw(2) == 0) {
      for (const std::string tool : {"t0", "t1"}) {
        const std::string hint = one({"true", "false"});
        PinnedTool& pin = config.pins.tools["files"][tool];
        std::string more = R"(,"title":")";
        more.append(tool).append(R"(","annotations":{"readOnlyHint":)").append(hint);
        more.append(R"(,"destructiveHint":false})");
        pin = pinned(tool, more);
        if (draw(4) == 0) pin.fingerprint = "another";
      }
    }
    return config;
  }

 private:
  RuleConfig make_rule(const std::string& name) {
    RuleConfig rule = sample_rule(name, permit, {}, some({"files/t0", "mail/*", "files/*"}));
    if (draw(3) == 0) rule.effect = forbid;
    if (draw(4) == 0) rule.effect = require_approval;
    if (rule.effect == require_approval) rule.approval.approvers = some({"r0", "r1"});
    rule.approval.self_approval = draw(2) == 0;
    if (rule.patterns.empty()) rule.patterns = {"files/t1"};
    if (draw(3) == 0) rule.when.arguments.push_back({"/n", NumberPredicate{"1", "5"}, false});
    if (draw(3) == 0) rule.when.facts.push_back(condition());
    if (draw(4) == 0) rule.unless.facts.push_back(condition());
    rule.observe = rule.effect == forbid && draw(4) == 0;
    rule.roles = some({"r0", "r1", "r2"});
    if (draw(4) == 0) rule.roles = {"*"};
    if (!rule.roles.empty()) return rule;
    rule.principals = {one({"p0", "p1"})};
    return rule;
  }

  Trust trust() { return static_cast<Trust>(draw(4)); }
  FactCondition condition() {
    if (draw(2) == 0) return {.fact = ServerTrustCondition{{trust(), trust()}}};
    return {.fact =
                HintCondition{.hint = draw(2) == 0 ? ToolHint::read_only : ToolHint::destructive,
                              .value = draw(2) == 0}};
  }
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::string one(std::vector<std::string> of) {
    return of[draw(static_cast<std::uint32_t>(of.size()))];
  }
  std::vector<std::string> some(std::vector<std::string> of) {
    std::erase_if(of, [this](const std::string&) { return draw(2) == 0; });
    return of;
  }

  std::mt19937 random_;
};

/// All that is said of a call, but for who calls what.
std::string said(const Config& config, const Policy& policy, const DiffCaller& caller,
                 const DiffTarget& target, const CallValues& values) {
  const DescribedDefinitions none;
  Definitions definitions(config, none);
  const auto call = describe_call(caller, target, values);
  const auto made = CaseCall::make(*call, policy, definitions.find(*call), 1'000'000);
  if (!made.has_value()) return "nobody";
  const CaseAnswer answer = answer_of(policy.judge((*made)->call()));
  return std::string(text(answer.decision.reason)) + " " + answer.decision.pointer + " " +
         std::string(answer.check) + " " + std::string(answer.decision.rule_name());
}

// Whoever stands in a group is answered as its first is, by both policies, whatever the call.
TEST(DiffGroups, AreAnsweredAlike) {
  std::vector<CallValues> calls{{}, {{"/n", "1"}}, {{"/n", "7"}}, {{"/n", "20"}}, {{"/x", "1"}}};
  for (const std::string approver : {"p0", "p1", "p2", "p3"})
    calls.push_back({{"/n", "3"}, {"approved_by", approver}});
  std::size_t joined = 0;
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    RandomPolicies random(seed);
    const std::array<Config, 2> configs{random.make(), random.make()};
    std::array<std::shared_ptr<const Policy>, 2> policies;
    for (std::size_t i = 0; i < 2; ++i)
      policies[i] = compile_policy(
          with_callers(configs[i], cases_of_roles(configs[0], configs[1], configs[i])), {});
    const std::vector<DiffCaller> callers = find_diff_callers(configs[0], configs[1]);
    const std::set<DiffTarget> targets = find_diff_targets(configs[0], configs[1]);
    for (const auto& alike :
         group_targets(TargetEntries(configs[0]), TargetEntries(configs[1]), targets)) {
      for (const auto& group : group_callers(TargetEntries(configs[0]), TargetEntries(configs[1]),
                                             callers, alike.front())) {
        joined += group.size() * alike.size() - 1;
        for (const CallValues& values : calls) {
          for (std::size_t i = 0; i < 2; ++i) {
            const std::string first =
                said(configs[1], *policies[i], group.front(), alike.front(), values);
            for (const DiffTarget& target : alike) {
              for (const DiffCaller& caller : group)
                ASSERT_EQ(said(configs[1], *policies[i], caller, target, values), first)
                    << caller.role << caller.principal << " " << target.label;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(joined, 4U);
}

}  // namespace
}  // namespace bartizan
