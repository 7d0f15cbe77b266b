#include "policy/access/access_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "policy/text/match.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

struct Want {
  Decision::Kind kind;
  Reason reason;
  std::string_view rule;
};

constexpr Want kNoRule{Decision::Kind::deny, Reason::no_matching_rule, ""};
constexpr Want permitted(std::string_view rule) {
  return {Decision::Kind::permit, Reason::none, rule};
}
constexpr Want denied(Reason reason, std::string_view rule) {
  return {Decision::Kind::deny, reason, rule};
}

void expect(const Decision& have, const Want& want) {
  EXPECT_EQ(have.kind, want.kind);
  EXPECT_EQ(have.reason, want.reason);
  EXPECT_EQ(have.rule_name(), want.rule);
}

Config with_rules(std::vector<RuleConfig> rules) {
  Config config = sample_config();
  for (RuleConfig& rule : rules)
    add_rule(config, std::move(rule));
  return config;
}

/// An answer together with the table that owns the rules it names.
struct Asked : AccessTable::Answer {
  AccessTable table;
};

Asked ask(const Config& config, const std::string& principal, TargetKind kind,
          std::string_view server, std::string_view target) {
  const AccessTable table(config, sample_names());
  return {table.decide(make_principals(config).at(principal), kind, server, target, {}), table};
}

const RuleConfig kRead = sample_rule("read", permit, {"analyst"}, {"files/read_*"});
const RuleConfig kAll = sample_rule("all", permit, {"*"}, {"*/*"});
const RuleConfig kNoWrite = sample_rule("no-write", forbid, {"*"}, {"files/write"});
const RuleConfig kAskWrite = sample_rule("ask-write", require_approval, {"*"}, {"files/w*"});

RuleConfig for_principal(RuleConfig rule, std::string id) {
  rule.roles.clear();
  rule.principals = {std::move(id)};
  return rule;
}

TEST(AccessTable, DecidesAboutTools) {
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    std::string principal;
    std::string_view tool;
    Want want;
  } cases[] = {
      {"nothing is permitted by default", {}, "ann", "read_text", kNoRule},
      {"a permit permits", {kRead}, "ann", "read_text", permitted("read")},
      {"also a name that no server listed", {kRead}, "ann", "read_new", permitted("read")},
      {"another tool is not it", {kRead}, "ann", "write", kNoRule},
      {"almost the prefix", {kRead}, "ann", "read", kNoRule},
      {"letter case counts", {kRead}, "ann", "Read_text", kNoRule},
      {"another role is not it", {kRead}, "dan", "read_text", kNoRule},
      {"nobody's role is not it", {kRead}, "bob", "read_text", kNoRule},
      {"one of several roles is enough", {kRead}, "eve", "read_text", permitted("read")},
      {"everyone", {kAll}, "bob", "write", permitted("all")},
      {"by principal", {for_principal(kRead, "bob")}, "bob", "read_text", permitted("read")},
      {"another principal", {for_principal(kRead, "bob")}, "ann", "read_text", kNoRule},
      {"any principal", {for_principal(kRead, "*")}, "dan", "read_text", permitted("read")},
      {"a role that does not exist",
       {sample_rule("x", permit, {"ghost"}, {"*/*"})},
       "ann",
       "write",
       kNoRule},
      {"forbid beats permit",
       {kAll, kNoWrite},
       "ann",
       "write",
       denied(Reason::forbidden, "no-write")},
      {"approval beats permit",
       {kAll, kAskWrite},
       "ann",
       "write",
       denied(Reason::needs_approval, "ask-write")},
      {"forbid beats approval",
       {kAll, kAskWrite, kNoWrite},
       "ann",
       "write",
       denied(Reason::forbidden, "no-write")},
      {"approval never grants", {kAskWrite}, "ann", "read_text", kNoRule},
      {"approval refuses without a permit too",
       {kAskWrite},
       "ann",
       "write",
       denied(Reason::needs_approval, "ask-write")},
      {"a forbid for one role",
       {kAll, sample_rule("f", forbid, {"developer"}, {"files/*"})},
       "ann",
       "write",
       permitted("all")},
      {"a forbid for one of the caller's roles",
       {kAll, sample_rule("f", forbid, {"developer"}, {"files/*"})},
       "eve",
       "write",
       denied(Reason::forbidden, "f")},
      {"a forbid of the principal beats a permit of the role",
       {kRead, for_principal(sample_rule("f", forbid, {}, {"files/*"}), "ann")},
       "ann",
       "read_text",
       denied(Reason::forbidden, "f")},
      {"the first name of several permits",
       {kRead, sample_rule("b", permit, {"*"}, {"files/**"})},
       "ann",
       "read_text",
       permitted("b")},
      {"a literal and a glob about an unlisted tool",
       {sample_rule("a", permit, {"*"}, {"files/new"}), sample_rule("f", forbid, {"*"}, {"*/n*"})},
       "ann",
       "new",
       denied(Reason::forbidden, "f")},
      {"prompts are not tools",
       {sample_rule("p", permit, {"*"}, {"*/*"}, RuleTarget::prompts)},
       "ann",
       "write",
       kNoRule},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Config config = with_rules(c.rules);
    const Asked asked = ask(config, c.principal, TargetKind::tool, "files", c.tool);
    expect(asked.decision, c.want);
  }
}

TEST(AccessTable, DecidesAboutResourcesPromptsAndMethods) {
  const auto resources = [](std::string name, Effect effect, std::string pattern) {
    return sample_rule(std::move(name), effect, {"*"}, {std::move(pattern)}, RuleTarget::resources);
  };
  const Config config = with_rules({
      resources("data", permit, "files/file:///srv/data/**"),
      resources("one", permit, "files/file:///etc/motd"),
      resources("accents", permit, "files/file:///r%C3%A9/*"),
      resources("secret", forbid, "*/file:///srv/data/secret/**"),
      sample_rule("greet", permit, {"*"}, {"mail/gr*"}, RuleTarget::prompts),
      sample_rule("tasks", permit, {"*"}, {"tasks/*"}, RuleTarget::methods),
      sample_rule("log", permit, {"analyst"}, {"logging/setLevel"}, RuleTarget::methods),
      sample_rule("any", permit, {"editor"}, {"*"}, RuleTarget::methods),
  });
  using enum TargetKind;
  const struct {
    std::string_view name;
    TargetKind kind;
    std::string_view server;
    std::string_view target;
    Want want;
  } cases[] = {
      {"below", resource, "files", "file:///srv/data/a/b.md", permitted("data")},
      {"the slash itself", resource, "files", "file:///srv/data/", permitted("data")},
      {"the directory without its slash", resource, "files", "file:///srv/data", kNoRule},
      {"a longer name", resource, "files", "file:///srv/data2/a", kNoRule},
      {"another server", resource, "mail", "file:///srv/data/a", kNoRule},
      {"a literal", resource, "files", "file:///etc/motd", permitted("one")},
      {"below a literal", resource, "files", "file:///etc/motd/a", kNoRule},
      {"accents encoded", resource, "files", "file:///r%c3%a9/a", permitted("accents")},
      {"accents raw", resource, "files", "file:///r\xc3\xa9/a", permitted("accents")},
      {"forbidden", resource, "files", "file:///srv/data/secret/a",
       denied(Reason::forbidden, "secret")},
      {"dots", resource, "files", "file:///srv/data/../x", denied(Reason::forbidden, "secret")},
      {"encoded dots", resource, "files", "file:///srv/data/%2e%2e/x",
       denied(Reason::forbidden, "secret")},
      {"an encoded letter of a forbidden name", resource, "files", "file:///srv/data/%73ecret/a",
       denied(Reason::forbidden, "secret")},
      {"a scheme in capitals", resource, "files", "FILE:///srv/data/secret/a",
       denied(Reason::forbidden, "secret")},
      {"a prompt", prompt, "mail", "greet", permitted("greet")},
      {"another prompt", prompt, "mail", "other", kNoRule},
      {"a method", none, "", "tasks/get", permitted("tasks")},
      {"a method, whatever the server", none, "files", "tasks/get", permitted("tasks")},
      {"another method", none, "", "completion/complete", kNoRule},
      {"a method by role", none, "", "logging/setLevel", permitted("log")},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Asked asked = ask(config, "ann", c.kind, c.server, c.target);
    expect(asked.decision, c.want);
  }
}

TEST(AccessTable, ObservedRulesAreReturnedAndCountAsAbsent) {
  RuleConfig would_forbid = kNoWrite;
  would_forbid.observe = true;
  RuleConfig would_ask = kAskWrite;
  would_ask.observe = true;
  RuleConfig would_permit = sample_rule("would-permit", permit, {"*"}, {"*/*"});
  would_permit.observe = true;
  const Config config = with_rules({kAll, would_forbid, would_ask});
  const auto answer = ask(config, "eve", TargetKind::tool, "files", "write");
  expect(answer.decision, permitted("all"));
  ASSERT_EQ(answer.observed.size(), 2U);
  expect(answer.observed[0], denied(Reason::needs_approval, "ask-write"));
  expect(answer.observed[1], denied(Reason::forbidden, "no-write"));
  EXPECT_TRUE(ask(config, "ann", TargetKind::tool, "files", "read_text").observed.empty());
  expect(ask(with_rules({would_permit}), "ann", TargetKind::tool, "files", "write").decision,
         kNoRule);
  EXPECT_TRUE(AccessTable(config, {}).has_observed_rules());
  EXPECT_FALSE(AccessTable(with_rules({kAll}), {}).has_observed_rules());
}

/// The rule with conditions: `/a` is 1, or is not a number, or is another one.
RuleConfig with(RuleConfig rule, RuleConditions when, RuleConditions unless = {}) {
  rule.when = std::move(when);
  rule.unless = std::move(unless);
  return rule;
}

RuleConditions a_is_1() {
  RuleConditions conditions;
  conditions.arguments.push_back({.pointer = "/a", .predicate = OneOfPredicate{{"1"}}});
  return conditions;
}

RuleConfig hiding(RuleConfig rule) {
  rule.hide = true;
  return rule;
}

RuleConfig expiring(RuleConfig rule) {
  rule.expires = 100;
  return rule;
}

TEST(AccessTable, AsksForConditions) {
  const RuleConfig permits = with(kRead, a_is_1());
  const RuleConfig forbids = with(sample_rule("no", forbid, {"*"}, {"files/read_text"}), a_is_1());
  const RuleConfig asks = with(sample_rule("ask", require_approval, {"*"}, {"*/*"}), {}, a_is_1());
  constexpr std::string_view kTrue = R"({"a":1})";
  constexpr std::string_view kFalse = R"({"a":2})";
  constexpr std::string_view kUndecidable = R"({"a":"1"})";
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    std::string_view arguments;
    Want want;
  } rows[] = {
      {"a permit whose when is true", {permits}, kTrue, permitted("read")},
      {"… false", {permits}, kFalse, kNoRule},
      {"… undecidable", {permits}, kUndecidable, kNoRule},
      {"a permit whose unless is true", {with(kRead, {}, a_is_1())}, kTrue, kNoRule},
      {"… false", {with(kRead, {}, a_is_1())}, kFalse, permitted("read")},
      {"… undecidable", {with(kRead, {}, a_is_1())}, kUndecidable, kNoRule},
      {"a forbid whose when is true", {kAll, forbids}, kTrue, denied(Reason::forbidden, "no")},
      {"… false", {kAll, forbids}, kFalse, permitted("all")},
      {"… undecidable", {kAll, forbids}, kUndecidable, denied(Reason::forbidden, "no")},
      {"an approval whose unless is true", {kAll, asks}, kTrue, permitted("all")},
      {"… false", {kAll, asks}, kFalse, denied(Reason::needs_approval, "ask")},
      {"… undecidable", {kAll, asks}, kUndecidable, denied(Reason::needs_approval, "ask")},
      {"an undecidable half decides",
       {kAll,
        with(forbids, a_is_1(),
             RuleConditions{.arguments = {{.pointer = "/b", .predicate = OneOfPredicate{{"1"}}}}})},
       kFalse,
       denied(Reason::forbidden, "no")},
      {"forbid beats require_approval",
       {kAll, forbids, asks},
       kUndecidable,
       denied(Reason::forbidden, "no")},
      {"one without conditions permits beside", {kAll, permits}, kFalse, permitted("all")},
      {"the first by name is named", {kAll, permits}, kTrue, permitted("all")},
      {"a name that no server listed", {with(kAll, a_is_1())}, kTrue, permitted("all")},
  };
  for (const auto& row : rows) {
    for (const std::string_view tool : {"read_text", "read_new"}) {
      if (tool == "read_new" && row.want.rule == "no") continue;
      SCOPED_TRACE(std::string(row.name) + ", " + std::string(tool));
      if (tool == "read_new" && !row.rules.back().patterns.front().ends_with('*')) continue;
      const Config config = with_rules(row.rules);
      const AccessTable table(config, sample_names());
      const auto call = sample_tool_call("files", tool, row.arguments);
      expect(table
                 .decide(make_principals(config).at("ann"), TargetKind::tool, "files", tool,
                         {.arguments = call->call.message.arguments})
                 .decision,
             row.want);
    }
  }
}

TEST(AccessTable, AnyRuleThatHidesHides) {
  const RuleConfig first = sample_rule("a", forbid, {"*"}, {"files/*"});
  const RuleConfig last = hiding(sample_rule("z", forbid, {"*"}, {"files/*"}));
  const RuleConfig asks = hiding(sample_rule("b", require_approval, {"*"}, {"files/*"}));
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    std::string_view rule;
    bool is_hidden;
  } rows[] = {
      {"none hides", {kAll, first}, "a", false},
      {"the only one", {kAll, last}, "z", true},
      {"not the one that is named", {kAll, first, last}, "a", true},
      {"one that wants an approval", {kAll, first, asks}, "a", true},
      {"one whose condition is true", {kAll, first, with(last, a_is_1())}, "a", true},
      {"one whose condition is false", {kAll, first, with(last, {}, a_is_1())}, "a", false},
  };
  const auto call = sample_tool_call("files", "read_text", R"({"a":1})");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Config config = with_rules(row.rules);
    const AccessTable table(config, sample_names());
    const Decision decision =
        table
            .decide(make_principals(config).at("ann"), TargetKind::tool, "files", "read_text",
                    {.arguments = call->call.message.arguments})
            .decision;
    EXPECT_EQ(decision.rule_name(), row.rule);
    EXPECT_EQ(decision.is_hidden, row.is_hidden);
  }
}

TEST(AccessTable, AnExpiredPermitGrantsNoServer) {
  const Config config = with_rules({expiring(kRead)});
  const AccessTable table(config, sample_names());
  const Principal ann = make_principals(config).at("ann");
  EXPECT_TRUE(table.concerns(ann, "files", 99));
  EXPECT_FALSE(table.concerns(ann, "files", 100));
}

// However many patterns lead to a rule, and whatever the others are called, it is judged once and
// for itself.
TEST(AccessTable, RulesThatCostMuchChangeNoOtherRulesAnswer) {
  std::string many = R"({"a":[1)";
  for (std::uint64_t i = 0; i < limits::rule_steps_max; ++i)
    many += ",1";
  const auto call = sample_tool_call("files", "read_text", many + "],\"b\":1}");
  RuleConditions costly;
  costly.arguments.push_back({.pointer = "/a/*", .predicate = OneOfPredicate{{"2"}}});
  RuleConditions cheap;
  cheap.arguments.push_back({.pointer = "/b", .predicate = OneOfPredicate{{"1"}}});
  for (const std::string_view name : {"a", "z"}) {
    const RuleConfig first = with(
        sample_rule(std::string(name), permit, {"*"}, {"files/*", "*/read_text", "*/*"}), costly);
    const Config config =
        with_rules({first, with(sample_rule("m", permit, {"*"}, {"*/*"}), cheap)});
    const AccessTable table(config, sample_names());
    expect(table
               .decide(make_principals(config).at("ann"), TargetKind::tool, "files", "read_text",
                       {.arguments = call->call.message.arguments})
               .decision,
           permitted("m"));
  }
}

TEST(AccessTable, KnowsWhatWasApprovedOfWhichTool) {
  RuleConditions read_only;
  read_only.facts.push_back({.fact = HintCondition{ToolHint::read_only, true}});
  Config config =
      with_rules({kAll, with(sample_rule("no", forbid, {"*"}, {"*/*"}), {}, read_only)});
  const PinnedTool pinned{.fingerprint = "f", .hints = {.read_only = true}, .is_approved = true};
  config.pins.tools["files"]["read_text"] = pinned;
  config.pins.tools["mail"]["write"] = pinned;
  const AccessTable table(config, sample_names());
  const Principal ann = make_principals(config).at("ann");
  for (const std::string_view tool : {"read_text", "write", "read_bytes", "read_new"}) {
    EXPECT_EQ(table.decide(ann, TargetKind::tool, "files", tool, {}).decision.permits(),
              tool == "read_text")
        << tool;
  }
}

// Whoever approved, for whichever rule: each asks for its own.
TEST(AccessTable, EveryRuleAsksForAnApprovalOfItsOwn) {
  const auto asking = [](std::string name, std::vector<std::string> approvers) {
    RuleConfig rule = sample_rule(std::move(name), Effect::require_approval, {"*"}, {"files/*"});
    rule.approval.approvers = std::move(approvers);
    return rule;
  };
  RuleConfig own = asking("own", {"analyst"});
  own.approval.self_approval = true;
  RuleConfig never = asking("never", {});
  RuleConfig hidden = asking("a-hidden", {"developer"});
  hidden.hide = true;
  const RuleConfig one = asking("one", {"analyst"});
  const RuleConfig other = asking("other", {"developer", "nobody"});
  const RuleConfig no = sample_rule("no", forbid, {"*"}, {"files/*"});
  RuleConfig two = asking("two", {"analyst", "developer"});
  two.approval.approvals = 2;
  RuleConfig two_own = two;
  two_own.approval.self_approval = true;
  RuleConfig by_name = asking("by-name", {});
  by_name.approval.principals = {"dan"};
  struct Given {
    std::string_view approver;
    std::int64_t age;
    std::string_view rule = {};
  };
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    std::vector<Given> approvals;
    Want want;
    bool is_hidden = false;
  } rows[] = {
      {"nobody approved", {kAll, one}, {}, denied(Reason::needs_approval, "one")},
      {"somebody who may", {kAll, other}, {{"dan", 0}}, permitted("all")},
      {"somebody who may not",
       {kAll, other},
       {{"ann", 0}},
       denied(Reason::needs_approval, "other")},
      {"the caller", {kAll, one}, {{"ann", 0}}, denied(Reason::needs_approval, "one")},
      {"the caller, who may", {kAll, own}, {{"ann", 0}}, permitted("all")},
      {"just in time", {kAll, other}, {{"dan", 599}}, permitted("all")},
      {"too late", {kAll, other}, {{"dan", 600}}, denied(Reason::needs_approval, "other")},
      {"from the future", {kAll, other}, {{"dan", -1}}, denied(Reason::needs_approval, "other")},
      {"one of two", {kAll, own, other}, {{"dan", 0}}, denied(Reason::needs_approval, "own")},
      {"each by its own", {kAll, own, other}, {{"dan", 0}, {"ann", 0}}, permitted("all")},
      {"a rule that nobody may approve",
       {kAll, never},
       {{"dan", 0}, {"ann", 0}},
       denied(Reason::needs_approval, "never")},
      {"no permit", {other}, {{"dan", 0}}, kNoRule},
      {"a forbid", {kAll, other, no}, {{"dan", 0}}, denied(Reason::forbidden, "no")},
      {"hidden until then",
       {kAll, hidden, other},
       {},
       denied(Reason::needs_approval, "a-hidden"),
       true},
      {"both at once", {kAll, hidden, other}, {{"dan", 0}}, permitted("all")},
      {"given to that rule", {kAll, other}, {{"dan", 0, "other"}}, permitted("all")},
      {"given to another rule",
       {kAll, other},
       {{"dan", 0, "one"}},
       denied(Reason::needs_approval, "other")},
      {"one of two persons", {kAll, two_own}, {{"dan", 0}}, denied(Reason::needs_approval, "two")},
      {"one person twice",
       {kAll, two_own},
       {{"dan", 0}, {"dan", 1}},
       denied(Reason::needs_approval, "two")},
      {"two persons", {kAll, two_own}, {{"dan", 0}, {"ann", 0}}, permitted("all")},
      {"two, of whom one calls",
       {kAll, two},
       {{"dan", 0}, {"ann", 0}},
       denied(Reason::needs_approval, "two")},
      {"a principal by name", {kAll, by_name}, {{"dan", 0}}, permitted("all")},
      {"another than by name",
       {kAll, by_name},
       {{"ann", 0}},
       denied(Reason::needs_approval, "by-name")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Config config = with_rules(row.rules);
    const AccessTable table(config, sample_names());
    const auto principals = make_principals(config);
    std::vector<Approval> approvals;
    for (const Given& given : row.approvals) {
      const Principal& approver = principals.at(std::string(given.approver));
      approvals.push_back({.approver = approver.id,
                           .roles = approver.roles,
                           .at = 10'000 - given.age,
                           .rule = given.rule});
    }
    const EvalContext of{.now = 10'000, .caller = "ann", .approvals = approvals};
    const Decision decision =
        table.decide(principals.at("ann"), TargetKind::tool, "files", "write", of).decision;
    expect(decision, row.want);
    EXPECT_EQ(decision.is_hidden, row.is_hidden);
  }
}

// What servers read in different ways may be any resource of theirs.
TEST(AccessTable, AMalformedResourceMatchesEveryForbid) {
  const auto resources = [](std::string name, std::vector<std::string> roles, std::string pattern) {
    return sample_rule(std::move(name), forbid, std::move(roles), {std::move(pattern)},
                       RuleTarget::resources);
  };
  RuleConfig hidden = resources("hidden", {"*"}, "files/file:///x");
  hidden.hide = true;
  const RuleConfig all = sample_rule("all", permit, {"*"}, {"*/**"}, RuleTarget::resources);
  RuleConditions never;
  never.facts.push_back({.fact = MethodCondition{{"ping"}}});
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    Want want;
    bool is_hidden = false;
  } rows[] = {
      {"none", {all}, denied(Reason::path_malformed, "")},
      {"one about something else",
       {all, resources("etc", {"*"}, "files/file:///etc/**")},
       denied(Reason::forbidden, "etc")},
      {"the first by name",
       {all, resources("b", {"*"}, "*/**"), resources("a", {"analyst"}, "files/file:///a")},
       denied(Reason::forbidden, "a")},
      {"of another server",
       {all, resources("mail", {"*"}, "mail/**")},
       denied(Reason::path_malformed, "")},
      {"for others",
       {all, resources("others", {"developer"}, "files/**")},
       denied(Reason::path_malformed, "")},
      {"under another condition",
       {all, with(resources("no", {"*"}, "files/**"), never)},
       denied(Reason::path_malformed, "")},
      {"that hides", {all, hidden}, denied(Reason::forbidden, "hidden"), true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Config config = with_rules(row.rules);
    const AccessTable table(config, sample_names());
    const auto answer = table.decide(make_principals(config).at("ann"), TargetKind::resource,
                                     "files", "file:///srv/../etc", {.method = "resources/read"});
    expect(answer.decision, row.want);
    EXPECT_EQ(answer.decision.is_hidden, row.is_hidden);
    // Hidden or not, the caller is told the same.
    EXPECT_EQ(answer.hidden_as, Reason::path_malformed);
  }
}

TEST(AccessTable, APermitExpires) {
  const Config config = with_rules({expiring(kRead)});
  const AccessTable table(config, sample_names());
  const Principal ann = make_principals(config).at("ann");
  const auto decide = [&](std::int64_t now) {
    return table.decide(ann, TargetKind::tool, "files", "read_text", {.now = now}).decision;
  };
  expect(decide(99), permitted("read"));
  expect(decide(100), kNoRule);
}

TEST(AccessTable, ShowsWhatSomeCallCouldReach) {
  RuleConditions stdio;
  stdio.facts.push_back({.fact = TransportCondition{{Transport::stdio}}});
  const RuleConfig no = sample_rule("no", forbid, {"*"}, {"files/*"});
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    bool want;
  } rows[] = {
      {"by some arguments", {with(kRead, a_is_1())}, true},
      {"by others", {with(kRead, {}, a_is_1())}, true},
      {"not by that transport", {with(kRead, stdio)}, false},
      {"but by this", {with(kRead, {}, stdio)}, true},
      {"a forbid that some arguments evade", {kAll, with(no, a_is_1())}, true},
      {"one that other arguments evade", {kAll, with(no, {}, a_is_1())}, true},
      {"one of another transport", {kAll, with(no, stdio)}, true},
      {"one that nothing evades", {kAll, with(no, {}, stdio)}, false},
  };
  EvalContext of = any_call_at(0, std::nullopt);
  of.transport = Transport::http;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Config config = with_rules(row.rules);
    const AccessTable table(config, sample_names());
    EXPECT_EQ(
        table.decide(make_principals(config).at("ann"), TargetKind::tool, "files", "read_text", of)
            .decision.permits(),
        row.want);
  }
}

TEST(AccessTable, AnEmptyTableDenies) {
  const Principal ann;
  expect(AccessTable().decide(ann, TargetKind::tool, "files", "write", {}).decision, kNoRule);
}

// What the cost depends on, rather than the time: with ten thousand rules, the answer about a
// known name still looks at no pattern at all.
TEST(AccessTable, ManyRulesCostAKnownNameNothing) {
  for (const int count : {10, 10'000}) {
    Config config = with_rules({kRead});
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      add_rule(config, sample_rule("r" + number, forbid, {"*"}, {"files/no_" + number + "*"}));
    }
    const auto known = ask(config, "ann", TargetKind::tool, "files", "read_text");
    expect(known.decision, permitted("read"));
    EXPECT_EQ(known.comparisons, 0U);
    const auto unknown = ask(config, "ann", TargetKind::tool, "files", "read_new");
    expect(unknown.decision, permitted("read"));
    // Nor does one about an unknown name, at patterns that begin otherwise.
    EXPECT_EQ(unknown.comparisons, 1U);
    EXPECT_EQ(ask(config, "ann", TargetKind::tool, "mail", "new").comparisons, 0U);
  }
}

/// The decision by the definition: every rule is asked, one after another.
Decision::Kind decide_plainly(const std::vector<RuleConfig>& rules, const Principal& principal,
                              const std::string& name) {
  bool permits = false;
  for (const RuleConfig& rule : rules) {
    const auto speaks = [&](const std::string& role) {
      return role == "*" || std::ranges::find(principal.roles, role) != principal.roles.end();
    };
    const auto is_named = [&](const std::string& id) { return id == principal.id; };
    const bool about =
        std::ranges::any_of(rule.roles, speaks) || std::ranges::any_of(rule.principals, is_named);
    const bool matches = std::ranges::any_of(
        rule.patterns, [&](const std::string& pattern) { return Glob(pattern).matches(name); });
    if (!about || !matches || rule.observe) continue;
    if (rule.effect != permit) return Decision::Kind::deny;
    permits = true;
  }
  return permits ? Decision::Kind::permit : Decision::Kind::deny;
}

RuleConfig random_rule(std::mt19937& random, int number) {
  const std::vector<std::string> roles{"*", "analyst", "developer"};
  const std::vector<std::string> ids{"ann", "bob", "dan", "eve"};
  const std::vector<std::string> patterns{"*/*",     "files/*",    "files/read_*", "files/write",
                                          "**",      "mail/send",  "*/s*",         "files/**",
                                          "*/write", "files/*t*x*"};
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[random() % from.size()];
  };
  RuleConfig rule = sample_rule("r" + std::to_string(number), static_cast<Effect>(random() % 3), {},
                                {pick(patterns), pick(patterns)});
  (random() % 2 == 0 ? rule.roles : rule.principals) = {};
  if (random() % 2 == 0) {
    rule.roles = {pick(roles)};
  } else {
    rule.principals = {pick(ids)};
  }
  rule.observe = rule.effect != permit && random() % 4 == 0;
  return rule;
}

// Random rule sets: the table agrees with the definition, for known and unknown names; forbid
// always wins; renaming the rules, which changes their order everywhere, changes no verdict.
TEST(AccessTable, AgreesWithTheDefinitionWhateverTheOrder) {
  std::mt19937 random(1);
  const std::vector<std::pair<std::string, std::string>> tools{
      {"files", "read_text"}, {"files", "write"}, {"mail", "send"},
      {"files", "read_new"},  {"mail", "other"},  {"files", "textx"}};
  int permits = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<RuleConfig> rules;
    rules.reserve(6);
    for (int i = 0; i < 1 + round % 6; ++i)
      rules.push_back(random_rule(random, i));
    const Config config = with_rules(rules);
    std::ranges::shuffle(rules, random);
    std::vector<RuleConfig> renamed = rules;
    for (std::size_t i = 0; i < renamed.size(); ++i)
      renamed[i].name = "s" + std::to_string(i);
    const AccessTable table(config, sample_names());
    const AccessTable shuffled(with_rules(renamed), sample_names());
    for (const auto& [id, principal] : make_principals(config)) {
      for (const auto& [server, tool] : tools) {
        std::string name = server;
        name.append("/").append(tool);
        const Decision one = table.decide(principal, TargetKind::tool, server, tool, {}).decision;
        const Decision two =
            shuffled.decide(principal, TargetKind::tool, server, tool, {}).decision;
        EXPECT_EQ(one.kind, decide_plainly(rules, principal, name));
        EXPECT_EQ(one.kind, two.kind);
        EXPECT_EQ(one.reason, two.reason);
        permits += one.permits() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(permits, 500);
}

TEST(MakePrincipals, TakesTheLowestTrustAndAllPermissions) {
  const auto principals = make_principals(sample_config());
  EXPECT_EQ(principals.at("ann").trust, Trust::verified);
  EXPECT_EQ(principals.at("eve").trust, Trust::community);
  EXPECT_EQ(principals.at("bob").trust, Trust::untrusted);
  EXPECT_EQ(principals.at("eve").permissions, std::vector<std::string>{"read:filesystem"});
  EXPECT_TRUE(principals.at("dan").permissions.empty());
  EXPECT_EQ(principals.at("eve").roles, (std::vector<std::string>{"analyst", "developer"}));
  EXPECT_NE(principals.at("ann").index, principals.at("eve").index);
}

/// Something to ask of `/a`, or of how the client came.
RuleConditions random_conditions(std::mt19937& random) {
  RuleConditions conditions;
  if (random() % 3 == 0) {
    conditions.facts.push_back(
        {.fact = TransportCondition{{random() % 2 == 0 ? Transport::http : Transport::stdio}}});
  }
  if (random() % 3 != 0) {
    const Predicate predicates[] = {OneOfPredicate{{"1"}}, NumberPredicate{"1", "2"},
                                    AbsentPredicate{}};
    conditions.arguments.push_back(
        {.pointer = "/a", .predicate = predicates[random() % 3], .optional = random() % 2 == 0});
  }
  return conditions;
}

RuleConfig random_conditional_rule(std::mt19937& random, int number) {
  RuleConfig rule = random_rule(random, number);
  if (random() % 2 == 0) rule.when = random_conditions(random);
  if (random() % 3 == 0) rule.unless = random_conditions(random);
  rule.hide = rule.effect != permit && random() % 4 == 0;
  if (rule.effect == permit && random() % 4 == 0) rule.expires = 100;
  return rule;
}

// Random rule sets with conditions, and one rule more: whatever refuses never grants, an observed
// rule changes nothing, a permit never refuses, and a rule twice is a rule once. The answers about
// the list are never narrower than those about a call.
TEST(AccessTable, GrowsMonotonously) {
  std::mt19937 random(2);
  const std::string_view calls[] = {"{}", R"({"a":1})", R"({"a":3})", R"({"a":"1"})"};
  int changes = 0;
  for (int round = 0; round < 1'500; ++round) {
    std::vector<RuleConfig> rules;
    rules.reserve(5);
    for (int i = 0; i < 1 + round % 5; ++i)
      rules.push_back(random_conditional_rule(random, i));
    RuleConfig more = random_conditional_rule(random, 99);
    if (round % 7 == 0) {
      more = rules.front();
      more.name = "again";
    }
    const Config config = with_rules(rules);
    const Principal eve = make_principals(config).at("eve");
    const AccessTable before(config, sample_names());
    rules.push_back(more);
    const AccessTable after(with_rules(rules), sample_names());
    const auto call = sample_tool_call("files", "write", calls[random() % std::size(calls)]);
    const EvalContext of{.now = static_cast<std::int64_t>(random() % 200),
                         .transport = Transport::http,
                         .arguments = call->call.message.arguments};
    const auto permits = [&](const AccessTable& table, const EvalContext& asked) {
      return table.decide(eve, TargetKind::tool, "files", "write", asked).decision.permits();
    };
    const bool was = permits(before, of);
    const bool is = permits(after, of);
    changes += was != is ? 1 : 0;
    if (more.observe || more.name == "again") EXPECT_EQ(was, is) << round;
    if (more.effect == permit) EXPECT_TRUE(is || !was) << round;
    if (more.effect != permit) EXPECT_TRUE(was || !is) << round;
    if (is) EXPECT_TRUE(permits(after, any_call_at(of.now, std::nullopt))) << round;
  }
  EXPECT_GT(changes, 50);
}

}  // namespace
}  // namespace bartizan
