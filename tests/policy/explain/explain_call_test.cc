#include "policy/explain/explain_call.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "policy/explain/pinned_definitions.h"

namespace bartizan {
namespace {

const std::string kPolicy = R"(version = 1
[audit]
file = "record"
[server.files]
command = ["p"]
[role.analyst]
permissions = ["read:*"]
[role.boss]
[principal.ann]
roles = ["analyst"]
[principal.bo]
roles = ["boss"]
[tool."files/*"]
permissions = ["read:files", "write:files"]
[tool."files/*".arguments]
"/a/*" = { number = { max = 2 } }
[tool."files/read".arguments]
"/b" = { absent = true }
[rule.approved]
effect = "require_approval"
roles = ["*"]
tools = ["files/*"]
approvers = ["boss"]
[rule.calls]
effect = "forbid"
roles = ["*"]
methods = ["tools/call"]
when = { revision = ["2026-07-28"] }
[rule.expired]
effect = "permit"
roles = ["*"]
tools = ["files/*"]
expires = 2020-01-01
[rule.observed]
effect = "forbid"
roles = ["*"]
tools = ["files/read"]
mode = "observe"
[rule.of-others]
effect = "forbid"
roles = ["boss"]
tools = ["files/read"]
[rule.of-other-tools]
effect = "forbid"
roles = ["*"]
tools = ["files/write"]
[rule.of-resources]
effect = "forbid"
roles = ["*"]
resources = ["files:file:///**"]
[rule.reads]
effect = "permit"
principals = ["ann"]
tools = ["files/re*"]
when = { "/a/*" = { number = { max = 5 } } }
unless = { "/b" = { one_of = [true], optional = true }, client_address = ["10.0.0.0/8"] }
)";

class ExplainCallTest : public testing::Test {
 protected:
  void explain(const std::string& json) {
    const LoadedConfig loaded = load_config_text(kPolicy, "p.toml");
    ASSERT_TRUE(loaded.usable()) << text(loaded.problems.front());
    const CaseFile file = read_call_json(json, "call.json");
    ASSERT_TRUE(file.problems.empty()) << text(file.problems.front());
    auto explained = explain_call(loaded.config, file, 1'800'000'000);
    ASSERT_TRUE(explained.has_value()) << text(explained.error().front());
    explained_ = std::move(*explained);
  }
  /// What each rule about it says: `+` where it matches.
  std::vector<std::string> rules() const {
    std::vector<std::string> said;
    for (const RuleAnswer& answer : explained_.trace.rules) {
      said.push_back((answer.matches ? "+" : "-") + answer.rule->name +
                     (answer.is_about_caller ? "" : " others") +
                     (answer.has_expired ? " expired" : ""));
    }
    return said;
  }

  ExplainedCall explained_{.config = nullptr};
};

TEST_F(ExplainCallTest, AsksEachRuleAboutWhatIsCalled) {
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"a":[1]},
              "facts":{"client_address":"192.0.2.1"}})");
  EXPECT_EQ(rules(), (std::vector<std::string>{"+approved", "-calls", "-expired expired",
                                               "+observed", "-of-others others", "+reads"}));
  EXPECT_EQ(explained_.answer.decision.reason, Reason::needs_approval);
  ASSERT_EQ(explained_.answer.observed.size(), 1U);
  EXPECT_EQ(explained_.answer.observed.front().rule_name(), "observed");
}

TEST_F(ExplainCallTest, AnApprovalKeepsARuleFromMatching) {
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"a":[1]},
              "facts":{"client_address":"192.0.2.1","approved_by":["bo"]}})");
  EXPECT_EQ(rules().front(), "-approved");
  EXPECT_EQ(explained_.answer.check, "permission");
}

TEST_F(ExplainCallTest, AsksEachEntryByItself) {
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"a":[1,7],"b":true}})");
  const RuleAnswer& reads = explained_.trace.rules.back();
  ASSERT_EQ(reads.when.size(), 1U);
  EXPECT_EQ(reads.when[0].entry, "/a/*");
  EXPECT_EQ(reads.when[0].answer, TriState::undecidable);  // A mixture of answers is none.
  ASSERT_EQ(reads.unless.size(), 2U);
  EXPECT_EQ(reads.unless[0].entry, "client_address");
  EXPECT_EQ(reads.unless[0].answer, TriState::undecidable);
  EXPECT_EQ(reads.unless[1].answer, TriState::yes);
  EXPECT_FALSE(reads.matches);
  EXPECT_EQ(explained_.trace.missing_facts, std::vector<std::string>{"client_address"});
}

TEST_F(ExplainCallTest, AsksPermissionsAndPredicatesThatNoCheckCameTo) {
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"a":[1,7],"b":true}})");
  EXPECT_EQ(explained_.trace.checks.back().check, "access");
  const CallTrace& trace = explained_.trace;
  ASSERT_EQ(trace.permissions.size(), 2U);
  EXPECT_TRUE(trace.permissions[0].is_held);
  EXPECT_FALSE(trace.permissions[1].is_held);
  ASSERT_EQ(trace.predicates.size(), 2U);
  EXPECT_EQ(trace.predicates[0].decision.reason, Reason::argument_not_allowed);
  EXPECT_EQ(trace.predicates[0].decision.pointer, "/a/1");
  EXPECT_EQ(trace.predicates[1].decision.reason, Reason::argument_not_absent);
  EXPECT_EQ(trace.limits, (std::vector<std::string>{"everyone", "tool", "user"}));
}

// What nobody names decides, too.
TEST_F(ExplainCallTest, SaysWhatNoPredicateNames) {
  using Pointers = std::vector<std::string>;
  explain(
      R"({"principal":"ann","tool":"files/read","arguments":{"a":[1,2],"c":{"d":[{}]},"e":1}})");
  EXPECT_EQ(explained_.trace.unguarded, (Pointers{"/c/d/0", "/e"}));
  EXPECT_EQ(explained_.trace.unguarded_answer, UnguardedAnswer::refused);
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"a":[1,2]}})");
  EXPECT_EQ(explained_.trace.unguarded, Pointers{});
  explain(R"({"principal":"ann","tool":"files/read"})");
  EXPECT_EQ(explained_.trace.unguarded, Pointers{});
  // What is to be absent is named, and not by what it may be.
  explain(R"({"principal":"ann","tool":"files/read","arguments":{"b":1}})");
  EXPECT_EQ(explained_.trace.unguarded, Pointers{"/b"});
}

// What only tools that write may not name, a tool may that was approved as one that reads.
TEST(ExplainCall, KnowsWhichToolsOnlyRead) {
  LoadedConfig loaded = load_config_text(R"(version = 1
[audit]
file = "record"
[server.files]
command = ["p"]
[role.analyst]
[principal.ann]
roles = ["analyst"]
[path.docs]
root = "/srv"
writable = []
[tool."files/*".arguments]
"/path" = { path = "docs" }
[rule.reads]
effect = "permit"
roles = ["*"]
tools = ["files/*"]
when = { "/path" = { path = "docs" } }
)",
                                         "p.toml");
  ASSERT_TRUE(loaded.usable()) << text(loaded.problems.front());
  const CaseFile file = read_call_json(
      R"({"principal":"ann","tool":"files/read","arguments":{"path":"/srv/a"}})", "call.json");
  for (const std::string_view hint : {"true", "false"}) {
    const std::string entry =
        R"({"name":"read","inputSchema":{"type":"object","properties":{"path":{}}},)"
        R"("annotations":{"readOnlyHint":)" +
        std::string(hint) + "}}";
    const auto definition = read_listed_tool(entry, {});
    ASSERT_TRUE(definition.has_value());
    loaded.config.pins.tools["files"]["read"] = {.fingerprint = definition->fingerprint,
                                                 .definition = entry,
                                                 .hints = {.read_only = hint == "true"},
                                                 .is_approved = true};
    const auto explained = explain_call(loaded.config, file, 0);
    ASSERT_TRUE(explained.has_value());
    const bool reads = hint == "true";
    EXPECT_EQ(explained->answer.decision.denies(), !reads);
    EXPECT_EQ(explained->trace.predicates.front().decision.denies(), !reads);
    EXPECT_EQ(explained->trace.rules.back().when.front().answer,
              reads ? TriState::yes : TriState::undecidable);
  }
}

TEST_F(ExplainCallTest, ResourcesAndMethodsHaveRulesOfTheirOwn) {
  explain(R"({"principal":"ann","resource":"files:file:///a"})");
  EXPECT_EQ(rules(), std::vector<std::string>{"+of-resources"});
  // One that servers read in different ways is forbidden by every rule about resources there.
  explain(R"({"principal":"ann","resource":"files:file:///a/../b"})");
  EXPECT_EQ(rules(), std::vector<std::string>{"+of-resources"});
  EXPECT_EQ(explained_.answer.decision.reason, Reason::forbidden);
  explain(R"({"principal":"ann","method":"tasks/list"})");
  EXPECT_TRUE(rules().empty());
  EXPECT_TRUE(explained_.trace.permissions.empty());
}

}  // namespace
}  // namespace bartizan
