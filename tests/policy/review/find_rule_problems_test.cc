#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "policy/check/compile_policy.h"
#include "policy/explain/pinned_definitions.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

ArgumentPredicate number_at(std::string pointer) {
  return {.pointer = std::move(pointer), .predicate = NumberPredicate{}};
}

RuleConditions asking(decltype(FactCondition::fact) fact) {
  RuleConditions conditions;
  conditions.facts.push_back({.fact = std::move(fact)});
  return conditions;
}

RuleConfig with(RuleConfig rule, RuleConditions when, RuleConditions unless = {}) {
  rule.when = std::move(when);
  rule.unless = std::move(unless);
  return rule;
}

TEST(FindRuleProblems, SaysWhatRulesOnlySeemToSay) {
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/*"});
  const RuleConfig no = sample_rule("no", forbid, {"*"}, {"files/*"});
  const TransportCondition every{{Transport::http, Transport::stdio, Transport::sse,
                                  Transport::web_socket, Transport::tcp, Transport::unix_socket}};
  const TransportCondition http{{Transport::http}};
  RuleConditions every_and_number = asking(every);
  every_and_number.arguments.push_back(number_at("/n"));
  RuleConditions number;
  number.arguments.push_back(number_at("/n"));
  const std::string read_by_analyst = R"( {"roles":["analyst"],"tool":"files/read_text"})";
  const std::string read_by_anyone = R"( {"roles":[],"tool":"files/read_text"})";
  const std::string write_by_ann = R"( {"principal":"ann","tool":"files/write"})";
  const struct {
    std::string_view name;
    RuleConfig rule;
    std::vector<std::string> problems;
  } rows[] = {
      {"a plain permit", read, {}},
      {"one transport", with(read, asking(http)), {}},
      {"every transport",
       with(read, asking(every)),
       {R"(a condition of rule "read" is always true)" + read_by_analyst}},
      {"every day",
       with(read, asking(TimeCondition{.from = 180, .to = 180, .zone = "UTC"})),
       {R"(a condition of rule "read" is always true)" + read_by_analyst}},
      {"every hour of some days", with(read, asking(TimeCondition{.days = 1, .zone = "UTC"})), {}},
      {"every trust",
       with(read, asking(ServerTrustCondition{
                      {Trust::system, Trust::verified, Trust::community, Trust::untrusted}})),
       {R"(a condition of rule "read" is always true)" + read_by_analyst}},
      {"unless anything",
       with(no, {}, asking(every)),
       {R"(rule "no" matches only what cannot be decided: its "unless" is always true)" +
        read_by_anyone}},
      {"unless anything of a kind",
       with(no, {}, every_and_number),
       {R"(a condition of rule "no" is always true)" + read_by_anyone}},
      {"when and unless the same",
       with(no, number, number),
       {R"(rule "no" matches only what cannot be decided: its "when" wants what "unless" excepts)" +
        read_by_anyone}},
      {"when more than unless",
       with(no, every_and_number, number),
       {R"(a condition of rule "no" is always true)" + read_by_anyone,
        R"(rule "no" matches only what cannot be decided: its "when" wants what "unless" excepts)" +
            read_by_anyone}},
      {"when less than unless",
       with(no, number, every_and_number),
       {R"(a condition of rule "no" is always true)" + read_by_anyone}},
      {"everything to everyone",
       sample_rule("all", permit, {"*"}, {"*/*"}),
       {R"(rule "all" permits every tool to everyone (name the roles and the servers, such as )"
        R"(roles = ["analyst"], tools = ["files/*"]))" +
            read_by_anyone,
        R"(rule "all" permits "files/write", and nobody whom it names has all of its )"
        R"(permissions: "write:filesystem")" +
            write_by_ann}},
      {"everything forbidden", sample_rule("none", forbid, {"*"}, {"*/*"}), {}},
      {"what nobody has the permission for",
       sample_rule("w", permit, {"analyst"}, {"files/write"}),
       {R"(rule "w" permits "files/write", and nobody whom it names has all of its )"
        R"(permissions: "write:filesystem")" +
        write_by_ann}},
  };
  ToolDefinition write = sample_tool();
  write.name = "write";
  const ToolDefinition text = sample_tool();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config = sample_config();
    config.tools = {{.pattern = "files/write", .permissions = {"write:filesystem"}}};
    // `files/*` names what its caller may not write as well, which is another row's matter.
    const bool is_read = row.rule.name == "read";
    add_rule(config, row.rule);
    KnownTools tools{{"files", {&text}}};
    if (!is_read) tools["files"].push_back(&write);
    std::vector<std::string> problems;
    for (const ConfigProblem& problem : find_rule_problems(config, tools)) {
      problems.push_back(problem.message + (problem.hint.empty() ? "" : " (" + problem.hint + ")") +
                         " " + problem.example);
    }
    EXPECT_EQ(problems, row.problems);
  }
}

TEST(FindRuleProblems, NamesArgumentsThatAnOpenPolicyLeaves) {
  const ToolDefinition tool = sample_tool(
      R"({"type":"object","properties":{"path":{"type":"string"},"deep":{"type":"object",)"
      R"("properties":{"n":{"type":"number"}}},"content":{"type":"string"}}})");
  Config config = sample_config();
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments = {number_at("/deep/n"), number_at("/path")};
  config.tools = {profile};
  EXPECT_TRUE(find_rule_problems(config, {{"files", {&tool}}}).empty());
  config.policy.allow_unguarded_arguments = true;
  const auto problems = find_rule_problems(config, {{"files", {&tool}}});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].message,
            R"(no predicate names "/content" of "files/read_text", which unguarded_arguments = )"
            R"("allow" leaves open)");
  EXPECT_EQ(problems[0].example,
            R"({"roles":[],"tool":"files/read_text","arguments":{"content":"x"}})");
  EXPECT_TRUE(find_rule_problems(config, {{"mail", {&tool}}}).empty());
}

TEST(FindRuleProblems, NamesArgumentsThatASchemaRequiresAndNoPredicateTakes) {
  const std::string schema =
      R"({"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string"},)"
      R"("head":{"type":"number"}},"required":["path","pattern"]})";
  ToolDefinition tool = sample_tool(schema);
  tool.raw = R"({"name":"read_text","inputSchema":)" + schema + "}";
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments = {number_at("/path")};
  const auto problems_of = [&tool, &profile](RuleConfig rule, bool is_open = false) {
    Config config = sample_config();
    config.rules.clear();
    add_rule(config, std::move(rule));
    config.tools = {profile};
    config.policy.allow_unguarded_arguments = is_open;
    std::vector<std::string> messages;
    for (const ConfigProblem& problem : find_rule_problems(config, {{"files", {&tool}}}))
      messages.push_back(problem.message);
    return messages;
  };
  const std::string refused = R"(every call of "files/read_text" is refused: its schema requires )"
                              R"("/pattern", which no predicate names)";
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/*"});
  EXPECT_EQ(problems_of(read), std::vector{refused});
  // Nobody may call it anyway.
  EXPECT_TRUE(problems_of(sample_rule("read", permit, {"analyst"}, {"files/write"})).empty());
  profile.arguments.push_back(number_at("/pattern"));
  EXPECT_TRUE(problems_of(read).empty());
  profile.arguments.clear();
  EXPECT_TRUE(problems_of(read).empty()) << "no predicate is about the tool";
}

TEST(PinnedDefinitions, AreWhatALockFileHas) {
  Config config = sample_config();
  config.pins.tools["files"]["read_text"] = {
      .definition = R"({"name":"read_text","inputSchema":{"type":"object",)"
                    R"("properties":{"path":{"type":"string"}}}})"};
  config.pins.tools["mail"];
  const PinnedDefinitions pinned(config);
  EXPECT_EQ(pinned.names().tools.at("files"), std::vector<std::string>{"read_text"});
  EXPECT_FALSE(pinned.names().tools.contains("mail"));
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments = {number_at("/path"), number_at("/other")};
  config.tools = {profile};
  std::vector<std::string> messages;
  for (const ConfigProblem& problem : find_schema_problems(config, pinned.tools()))
    messages.push_back(problem.message);
  EXPECT_EQ(messages, (std::vector<std::string>{
                          R"(the profile "files/*" asks for another type at "/path" than the )"
                          R"(input schema has there)",
                          R"(a predicate of "files/*" names "/other", which the input schema of )"
                          R"(no such tool has)"}));
}

}  // namespace
}  // namespace bartizan
