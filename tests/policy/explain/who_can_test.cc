#include "policy/explain/who_can.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"
#include "policy/explain/pinned_definitions.h"

namespace bartizan {
namespace {

using Caller = WhoCanAnswer::Caller;
using Can = WhoCanAnswer::Can;
using Texts = std::vector<std::string>;

constexpr std::int64_t kNow = 1'800'000'000;

const std::string kPolicy = R"(version = 1
[audit]
file = "record"
[server.files]
command = ["p"]
[server.mail]
command = ["p"]
[role.analyst]
[role.boss]
permissions = ["write:*"]
[role.guest]
[principal.ann]
roles = ["analyst"]
[principal.bo]
roles = ["boss"]
[principal.eve]
roles = ["analyst", "boss"]
[principal.guy]
roles = ["guest"]
)";

class WhoCanTest : public testing::Test {
 protected:
  void load(const std::string& rules) {
    LoadedConfig loaded = load_config_text(kPolicy + rules, "p.toml");
    for (const ConfigProblem& problem : loaded.problems)
      ASSERT_NE(problem.severity, ConfigProblem::Severity::error) << text(problem);
    config_ = std::move(loaded.config);
  }
  void ask(const std::string& arguments = "", std::string_view tool = "read",
           std::string_view server = "files") {
    auto asked = who_can(config_, {.server = std::string(server),
                                   .tool = std::string(tool),
                                   .arguments = arguments,
                                   .now = kNow});
    ASSERT_TRUE(asked.has_value());
    who_ = *std::move(asked);
  }
  const WhoCanAnswer& of(std::string_view name) const {
    const auto found = std::ranges::find(who_.answers, name, &WhoCanAnswer::name);
    return *found;
  }
  /// `ann always by reads`, `guy never no_matching_rule`: of principals, roles and nobody.
  std::string said(std::string_view name) const {
    const WhoCanAnswer& answer = of(name);
    std::string text(name);
    if (answer.can == Can::never) {
      text += " never " + std::string(bartizan::text(answer.answer.decision.reason));
    } else {
      text += answer.can == Can::always ? " always" : " sometimes";
    }
    return answer.rule.empty() ? text : text + " by " + answer.rule;
  }
  static Texts names(const std::vector<OpenRule>& rules) {
    Texts names;
    for (const OpenRule& open : rules)
      names.push_back(open.rule->name);
    return names;
  }

  Config config_;
  WhoCan who_;
};

TEST_F(WhoCanTest, NamesWhoMayAndWhoMayNot) {
  load(R"(
[rule.reads]
effect = "permit"
roles = ["analyst"]
tools = ["files/re*"]
[rule.not-the-boss]
effect = "forbid"
roles = ["boss"]
tools = ["files/*"]
)");
  ask();
  EXPECT_EQ(said("ann"), "ann always by reads");
  EXPECT_EQ(said("analyst"), "analyst always by reads");
  EXPECT_EQ(said("eve"), "eve never forbidden by not-the-boss");
  EXPECT_EQ(said("bo"), "bo never forbidden by not-the-boss");
  EXPECT_EQ(said("guy"), "guy never no_matching_rule");
  EXPECT_EQ(said(""), " never no_matching_rule");
  EXPECT_EQ(of("").caller, Caller::nobody);
  EXPECT_EQ(of("boss").caller, Caller::role);
  EXPECT_TRUE(who_.is_definition_assumed);
  ask("", "write");
  EXPECT_EQ(said("ann"), "ann never no_matching_rule");
}

TEST_F(WhoCanTest, ConditionsOfRulesAreOpen) {
  load(R"(
[rule.office]
effect = "permit"
roles = ["analyst"]
tools = ["files/*"]
when = { client_address = ["10.0.0.0/8"], server_trust = ["untrusted"] }
[rule.nights]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
unless = { time = { from = "08:00", to = "20:00", zone = "UTC" } }
[rule.until]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
expires = 2099-01-01
[rule.was]
effect = "permit"
roles = ["guest"]
tools = ["files/*"]
expires = 2020-01-01
[rule.of-trusted]
effect = "permit"
roles = ["guest"]
tools = ["files/*"]
when = { server_trust = ["system"], transport = ["http"] }
)");
  ask();
  EXPECT_EQ(said("ann"), "ann sometimes by office");
  EXPECT_EQ(names(of("ann").permits), Texts{"office"});
  EXPECT_EQ(names(of("ann").refusals), Texts{"nights"});
  // What is the same for every call is no condition.
  EXPECT_EQ(of("ann").permits[0].when.facts.size(), 1U);
  EXPECT_EQ(of("ann").refusals[0].unless.facts.size(), 1U);
  EXPECT_EQ(names(of("bo").permits), Texts{"until"});
  EXPECT_EQ(names(of("eve").permits), (Texts{"office", "until"}));
  EXPECT_EQ(said("guy"), "guy never no_matching_rule");
}

TEST_F(WhoCanTest, GivenArgumentsAreJudged) {
  load(R"(
[tool."files/*".arguments]
"/n" = { number = { max = 10 } }
"/gone" = { absent = true }
[rule.small]
effect = "permit"
roles = ["analyst"]
tools = ["files/*"]
when = { "/n" = { number = { max = 5 } } }
[rule.any]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
)");
  ask();
  EXPECT_EQ(said("ann"), "ann sometimes by small");
  EXPECT_EQ(said("bo"), "bo sometimes by any");
  EXPECT_TRUE(of("bo").permits.empty());
  EXPECT_EQ(who_.arguments.size(), 2U);
  ask(R"({"n":7})");
  EXPECT_EQ(said("ann"), "ann never no_matching_rule");
  EXPECT_EQ(said("bo"), "bo sometimes by any");
  ASSERT_EQ(who_.arguments.size(), 1U);
  EXPECT_EQ(who_.arguments[0].predicate->pointer, "/gone");
  ask(R"({"n":11})");
  EXPECT_EQ(said("bo"), "bo never argument_not_allowed");
  ask(R"({"other":11})");
  EXPECT_EQ(said("bo"), "bo never argument_unguarded");
  ask(R"({"n":3,"gone":1})");
  EXPECT_EQ(said("ann"), "ann never argument_not_absent");
}

// An `unless` that cannot be judged refuses, unless an open entry of it may be false.
TEST_F(WhoCanTest, ARefusalMayMissByAFactThatIsNotOpen) {
  const auto ask_where = [this](const std::string& trust, const std::string& unless) {
    load(R"(
[server.docs]
command = ["p"]
trust = "untrusted"
[rule.any]
effect = "permit"
roles = ["boss"]
tools = ["docs/*"]
[rule.not-here]
effect = "forbid"
roles = ["boss"]
tools = ["docs/*"]
when = { server_trust = [")" +
         trust + R"("] }
unless = { )" +
         unless + R"( "/n" = { number = { max = 5 } } }
)");
    ask(R"({"n":"s"})", "read", "docs");
    return said("bo");
  };
  const std::string open = R"(transport = ["http"], )";
  EXPECT_EQ(ask_where("system", open), "bo sometimes by any");
  EXPECT_EQ(ask_where("untrusted", open), "bo never forbidden by not-here");
  EXPECT_EQ(ask_where("system", ""), "bo never forbidden by not-here");
}

TEST_F(WhoCanTest, PermissionsApprovalsAndObservation) {
  load(R"(
[tool."files/*"]
permissions = ["write:files"]
[rule.all]
effect = "permit"
roles = ["*"]
tools = ["files/*"]
[rule.approved]
effect = "require_approval"
roles = ["boss"]
tools = ["files/*"]
approvers = ["analyst"]
)");
  ask();
  // A role can come with another that has the permission; a principal is who it is.
  EXPECT_EQ(said("ann"), "ann never permission_missing");
  EXPECT_EQ(said("analyst"), "analyst sometimes by all");
  EXPECT_EQ(of("analyst").permissions, Texts{"write:files"});
  EXPECT_EQ(said("bo"), "bo sometimes by all");
  EXPECT_EQ(names(of("bo").refusals), Texts{"approved"});
  EXPECT_TRUE(of("bo").permissions.empty());
  config_.policy.mode = PolicySettings::Mode::observe;
  config_.policy.until = kNow + 1;
  ask();
  EXPECT_EQ(said("ann"), "ann sometimes by all");
  EXPECT_TRUE(of("ann").only_observed);
  EXPECT_FALSE(of("bo").only_observed);
  config_.policy.until = kNow;
  ask();
  EXPECT_EQ(said("ann"), "ann never permission_missing");
}

TEST_F(WhoCanTest, EndpointsThatHideTheToolAreACondition) {
  load(R"(
[endpoint.desk]
path = "/desk"
[endpoint.mail]
path = "/mail"
servers = ["mail"]
[rule.all]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
)");
  ask();
  EXPECT_EQ(said("bo"), "bo sometimes by all");
  EXPECT_EQ(who_.hidden_at, Texts{"mail"});
}

TEST_F(WhoCanTest, WhatOnlyTheDiskKnowsIsACondition) {
  load(R"(
[path.data]
root = "/srv/data"
base = "/srv/data"
resolve = "filesystem"
[tool."files/*".arguments]
"/path" = { path = "data" }
[rule.all]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
)");
  ask(R"({"path":"a.md"})");
  EXPECT_EQ(said("bo"), "bo sometimes by all");
  EXPECT_EQ(of("bo").outside, Texts{R"(places "/srv/data/a.md")"});
  ask(R"({"path":"../a.md"})");
  EXPECT_EQ(said("bo"), "bo never path_outside_root");
}

// What the server requires beside the given arguments is open, and what it says of these holds.
TEST_F(WhoCanTest, AsksTheSchemaOfGivenArgumentsAlone) {
  load(R"(
[rule.all]
effect = "permit"
roles = ["boss"]
tools = ["files/*"]
when = { "/at/x" = { one_of = [1] } }
)");
  const std::string entry =
      R"({"name":"read","inputSchema":{"type":"object","required":["path","at"],)"
      R"("additionalProperties":false,)"
      R"("properties":{"path":{"type":"string"},"at":{"$ref":"#/$defs/at"}},)"
      R"("$defs":{"at":{"type":"object","required":["x","y"],)"
      R"("oneOf":[{"properties":{"x":{"type":"integer"}}},{"properties":{"y":{}}}]}}}})";
  const auto definition = read_listed_tool(entry, {});
  ASSERT_TRUE(definition.has_value());
  config_.pins.tools["files"]["read"] = {
      .fingerprint = definition->fingerprint, .definition = entry, .is_approved = true};
  ask();
  EXPECT_FALSE(who_.is_definition_assumed);
  EXPECT_EQ(said("bo"), "bo sometimes by all");
  ask(R"({"at":{"x":1}})");
  EXPECT_EQ(said("bo"), "bo always by all");
  ask(R"({"at":{"x":2}})");
  EXPECT_EQ(said("bo"), "bo never no_matching_rule");
  ask(R"({"at":{"x":1},"path":7})");
  EXPECT_EQ(said("bo"), "bo never arguments_invalid");
  ask(R"({"at":{"x":1},"else":7})");
  EXPECT_EQ(said("bo"), "bo never arguments_invalid");
}

// Whoever could call a tool only with arguments that its schema refuses cannot call it.
TEST_F(WhoCanTest, CallsHaveWhatTheSchemaRequires) {
  constexpr std::string_view kBoth = R"(["path","mode"])";
  const std::string mode = R"("mode":{"enum":["fast","safe"]})";
  const std::string path = R"("path":{"type":"string"})";
  const struct {
    std::string_view name;
    std::string required, properties, policy, want, given = {};
  } rows[] = {
      {"nothing is asked", std::string(kBoth), path + "," + mode, "", "bo always by all"},
      {"a value that the schema names", R"(["mode"])", mode,
       R"(when = { "/mode" = { one_of = ["safe"] } })", "bo sometimes by all"},
      {"one that it does not name", R"(["mode"])", mode,
       R"(when = { "/mode" = { one_of = ["slow"] } })", "bo never no_matching_rule"},
      {"the same of an argument that may be missing", "[]", mode,
       R"(when = { "/mode" = { one_of = ["slow"] } })", "bo sometimes by all"},
      {"a constant", R"(["mode"])", R"("mode":{"const":"fast"})",
       R"(when = { "/mode" = { one_of = ["safe"] } })", "bo never no_matching_rule"},
      {"the right one of two arguments", std::string(kBoth), R"("path":{"enum":["a"]},)" + mode,
       R"(when = { "/path" = { one_of = ["a"] }, "/mode" = { one_of = ["safe"] } })",
       "bo sometimes by all"},
      {"the wrong one", std::string(kBoth), R"("path":{"enum":["a"]},)" + mode,
       R"(when = { "/path" = { one_of = ["b"] }, "/mode" = { one_of = ["safe"] } })",
       "bo never no_matching_rule"},
      {"a given argument counts before the schema's", R"(["mode"])", mode,
       R"(when = { "/mode" = { one_of = ["slow"] } })", "bo never no_matching_rule",
       R"({"mode":"safe"})"},
      {"a profile lets no such value pass", R"(["mode"])", mode,
       "[tool.\"files/read\".arguments]\n\"/mode\" = { one_of = [\"slow\"] }",
       "bo never argument_not_allowed"},
      {"no predicate names what is required", std::string(kBoth), path + "," + mode,
       "[tool.\"files/read\".arguments]\n\"/mode\" = { one_of = [\"safe\"] }",
       "bo never argument_unguarded"},
      {"the same, which the policy leaves open", std::string(kBoth), path + "," + mode,
       "[tool.\"files/read\".arguments]\n\"/mode\" = { one_of = [\"safe\"] }\n"
       "[policy]\nunguarded_arguments = \"allow\"",
       "bo sometimes by all"},
      {"the same of an argument that may be an array", R"(["path"])", R"("path":{},)" + mode,
       "[tool.\"files/read\".arguments]\n\"/mode\" = { one_of = [\"safe\"], optional = true }",
       "bo sometimes by all"},
      {"what is required is to be absent", R"(["path"])", path,
       "[tool.\"files/read\".arguments]\n\"/path\" = { absent = true }",
       "bo never argument_not_absent"},
      {"a policy that only observes", R"(["path"])", path,
       "[tool.\"files/read\".arguments]\n\"/path\" = { absent = true }\n"
       "[policy]\nmode = \"observe\"\nuntil = 2027-01-31",
       "bo sometimes by all"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    load("[rule.all]\neffect = \"permit\"\nroles = [\"boss\"]\ntools = [\"files/*\"]\n" +
         row.policy + "\n");
    const std::string entry = R"({"name":"read","inputSchema":{"type":"object","required":)" +
                              row.required + R"(,"properties":{)" + row.properties + "}}}";
    const auto definition = read_listed_tool(entry, {});
    ASSERT_TRUE(definition.has_value());
    config_.pins.tools["files"]["read"] = {
        .fingerprint = definition->fingerprint, .definition = entry, .is_approved = true};
    ask(row.given);
    EXPECT_EQ(said("bo"), row.want);
    if (!row.policy.contains("observe")) {
      EXPECT_TRUE(said("guy").starts_with("guy never no_matching_rule"));
    }
  }
}

TEST_F(WhoCanTest, ArgumentsAreAnObject) {
  load("");
  const auto asked = who_can(config_, {.server = "files", .tool = "read", .arguments = "[]"});
  ASSERT_FALSE(asked.has_value());
}

}  // namespace
}  // namespace bartizan
