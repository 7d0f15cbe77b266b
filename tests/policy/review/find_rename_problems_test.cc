#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/check/compile_policy.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ArgumentPredicate absent(std::string pointer) {
  return {.pointer = std::move(pointer), .predicate = AbsentPredicate{}};
}

/// What is said about a configuration in which `files/read` renames `/query` to `/sql`, and what is
/// in `/o` and its `/x`.
std::vector<ConfigProblem> problems_of(Config config) {
  config.tools.push_back({.pattern = "files/read",
                          .renames = {{.listed = "/o/x", .sent = "/o/y"},
                                      {.listed = "/o", .sent = "/p"},
                                      {.listed = "/query", .sent = "/sql"}}});
  return find_rename_problems(config);
}

TEST(FindRenameProblems, FindsPredicatesThatHoldForNothing) {
  const struct {
    std::string_view name, pattern, pointer;
    bool is_gone;
  } rows[] = {
      {"the listed name", "files/*", "/query", true},
      {"the listed name, of the same tool", "files/read", "/query", true},
      {"below it", "**", "/query/a", true},
      {"the sent name", "files/*", "/sql", false},
      {"another name", "files/*", "/query2", false},
      {"of other tools", "files/w*", "/query", false},
      {"of another server", "web/*", "/query", false},
      {"deep, below the sent name", "files/*", "/p/x", true},
      {"deep, below the listed name", "files/*", "/o/y", true},
      {"deep, as it is sent", "files/*", "/p/y", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config = sample_config();
    config.tools = {
        {.pattern = std::string(row.pattern), .arguments = {absent(std::string(row.pointer))}}};
    const auto problems = problems_of(config);
    ASSERT_EQ(problems.size(), row.is_gone ? 1U : 0U);
    if (!row.is_gone) continue;
    EXPECT_EQ(problems[0].severity, ConfigProblem::Severity::error);
    EXPECT_TRUE(problems[0].message.starts_with("the profile \"" + std::string(row.pattern) +
                                                "\" names \"" + std::string(row.pointer)))
        << problems[0].message;
  }
}

TEST(FindRenameProblems, FindsSchemasAndConditions) {
  Config config = sample_config();
  config.tools = {{.pattern = "files/*", .schema = R"({"properties":{"query":{},"sql":{}}})"}};
  RuleConfig rule = sample_rule("no", Effect::forbid, {"analyst"}, {"web/*", "files/*"});
  rule.when.arguments = {absent("/sql")};
  rule.unless.arguments = {absent("/query")};
  add_rule(config, rule);
  RuleConfig other = sample_rule("other", Effect::forbid, {"analyst"}, {"web/*"});
  other.when.arguments = {absent("/query")};
  add_rule(config, other);
  const auto problems = problems_of(config);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message,
            "the schema of \"files/*\" names \"/query\", which no call of \"files/read\" is judged "
            "by: it is renamed to \"/sql\"");
  EXPECT_EQ(problems[1].message,
            "rule \"no\" names \"/query\", which no call of \"files/read\" is judged by: it is "
            "renamed to \"/sql\"");
}

TEST(FindRenameProblems, FindsRedactionsOfArguments) {
  using Severity = ConfigProblem::Severity;
  const struct {
    std::string_view name;
    std::vector<Carrier> in;
    std::vector<std::string> tools;
    std::string pointer;
    std::vector<Severity> want;
  } rows[] = {
      {"of arguments", {Carrier::arguments}, {}, "/query", {Severity::error}},
      {"of that tool", {Carrier::arguments}, {"files/*"}, "/query", {Severity::error}},
      {"of another tool", {Carrier::arguments}, {"files/write"}, "/query", {}},
      {"as it is sent", {Carrier::arguments}, {}, "/sql", {}},
      {"of results", {Carrier::results}, {}, "/query", {}},
      {"of both", {Carrier::arguments, Carrier::results}, {}, "/query", {Severity::warning}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config = sample_config();
    config.redactions["x"] = {.name = "x",
                              .detectors = {"secrets"},
                              .in = row.in,
                              .tools = row.tools,
                              .pointers = {row.pointer}};
    std::vector<Severity> found;
    for (const ConfigProblem& problem : problems_of(config))
      found.push_back(problem.severity);
    EXPECT_EQ(found, row.want);
  }
}

TEST(FindRenameProblems, FindsTwoRenamesOfOneArgument) {
  const struct {
    std::string_view name;
    std::vector<RenamedArgument> renames;
    bool is_sound;
  } rows[] = {
      {"a parent by its other name",
       {{.listed = "/a", .sent = "/b"}, {.listed = "/b/x", .sent = "/b/y"}},
       true},
      {"one place by both names of its parent",
       {{.listed = "/a", .sent = "/b"},
        {.listed = "/a/x", .sent = "/a/y"},
        {.listed = "/b/x", .sent = "/b/z"}},
       false},
      {"one after the other",
       {{.listed = "/a", .sent = "/b"},
        {.listed = "/a/x", .sent = "/a/y"},
        {.listed = "/b/y", .sent = "/b/z"}},
       false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config = sample_config();
    config.tools = {{.pattern = "files/read", .renames = row.renames}};
    EXPECT_EQ(find_rename_problems(config).empty(), row.is_sound);
  }
}

}  // namespace
}  // namespace bartizan
