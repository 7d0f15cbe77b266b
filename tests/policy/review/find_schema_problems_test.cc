#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/compile_policy.h"
#include "policy/explain/pinned_definitions.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ArgumentPredicate path_at(std::string pointer) {
  ArgumentPredicate predicate;
  predicate.pointer = std::move(pointer);
  predicate.predicate = PathPredicate{"docs"};
  return predicate;
}

std::vector<std::string> problems_of(const ToolProfile& profile, const ToolDefinition& tool) {
  Config config = sample_config();
  config.tools = {profile};
  std::vector<std::string> messages;
  for (const ConfigProblem& problem : find_schema_problems(config, {{"files", {&tool}}})) {
    EXPECT_EQ(problem.severity, ConfigProblem::Severity::warning);
    messages.push_back(problem.message);
  }
  return messages;
}

TEST(FindSchemaProblems, NamesPointersThatNoToolHas) {
  const ToolDefinition tool =
      sample_tool(R"({"type":"object","properties":{"path":{"type":"string"},"paths":{"items":{}},)"
                  R"("options":{"properties":{"deep":true}}}})");
  const struct {
    std::string schema;
    std::vector<std::string> pointers, problems;
  } rows[] = {
      {R"({"properties":{"path":{"maxLength":3}}})", {}, {}},
      {R"({"properties":{"options":{"properties":{"deep":false}}}})", {}, {}},
      {R"({"properties":{"pth":{"maxLength":3}}})",
       {},
       {R"(the schema of "files/*" names "/pth", which the input schema of no such tool has)"}},
      {R"({"required":["path","root"]})",
       {},
       {R"(the schema of "files/*" names "/root", which the input schema of no such tool has)"}},
      {"", {"/path", "/paths/*"}, {}},
      {"",
       {"/options/path"},
       {R"(a predicate of "files/*" names "/options/path", which the input schema of no such tool has)"}},
  };
  for (const auto& row : rows) {
    ToolProfile profile;
    profile.pattern = "files/*";
    profile.schema = row.schema;
    for (const std::string& pointer : row.pointers)
      profile.arguments.push_back(path_at(pointer));
    EXPECT_EQ(problems_of(profile, tool), row.problems) << row.schema;
    // About tools that nobody knows nothing is said.
    profile.pattern = "files/other";
    EXPECT_EQ(problems_of(profile, tool), std::vector<std::string>()) << row.schema;
  }
}

TEST(FindSchemaProblems, NamesToolsThatARenameQuarantines) {
  constexpr std::string_view kStart = "a rename of \"files/read_text\" names ";
  const struct {
    std::string_view name, schema;
    std::string problem;  ///< Empty for none.
  } rows[] = {
      {"renamed", R"({"type":"object","properties":{"path":{}}})", ""},
      {"not there", R"({"type":"object","properties":{"root":{}}})",
       std::string(kStart) + "\"/path\", which the input schema of the tool does not have"},
      {"both names", R"({"type":"object","properties":{"path":{},"file":{}}})",
       std::string(kStart) +
           "\"/file\", which the input schema of the tool has already, so it is quarantined"},
      {"named elsewhere",
       R"({"type":"object","properties":{"path":{}},"patternProperties":{"^path$":{}}})",
       "the input schema of \"files/read_text\" names a renamed argument where it cannot be "
       "renamed, so the tool is quarantined"},
  };
  for (const auto& row : rows) {
    ToolProfile profile{.pattern = "files/read_text"};
    profile.renames = {{.listed = "/path", .sent = "/file"}};
    std::vector<std::string> want;
    if (!row.problem.empty()) want.push_back(row.problem);
    const std::string entry =
        R"({"name":"read_text","inputSchema":)" + std::string(row.schema) + "}";
    const ToolDefinition tool = read_listed_tool(entry, kResponseLimits, {}).value();
    EXPECT_EQ(problems_of(profile, tool), want) << row.name;
  }
}

TEST(FindSchemaProblems, NamesValuesThatAreForcedWhereTheSchemaHasAnotherType) {
  const ToolDefinition tool = sample_tool(
      R"({"type":"object","properties":{"text":{"type":"string"},"number":{"type":"number"},)"
      R"("flag":{"type":"boolean"},"any":{}}})");
  const struct {
    std::string_view value, pointer;
    bool fits;
  } rows[] = {
      {R"("a")", "/text", true},    {R"("true")", "/flag", false}, {"true", "/flag", true},
      {"false", "/flag", true},     {"false", "/text", false},     {"1", "/flag", false},
      {"-1.5", "/number", true},    {R"("1")", "/number", false},  {"50", "/text", false},
      {R"("a")", "/number", false}, {"false", "/any", true},       {"50", "/any", true},
  };
  for (const auto& row : rows) {
    ToolProfile profile{.pattern = "files/*"};
    profile.arguments = {
        {.pointer = std::string(row.pointer), .predicate = FixedPredicate{std::string(row.value)}}};
    std::vector<std::string> problems;
    if (!row.fits) {
      problems.push_back(R"(the profile "files/*" asks for another type at ")" +
                         std::string(row.pointer) + R"(" than the input schema has there)");
    }
    EXPECT_EQ(problems_of(profile, tool), problems) << row.value << " at " << row.pointer;
  }
}

TEST(FindSchemaProblems, NamesToolsThatCannotBeJudged) {
  const ToolDefinition tool = sample_tool(R"j({"properties":{"a":{"pattern":"(?=a)"}}})j");
  ToolProfile profile;
  profile.pattern = "files/read_text";
  const std::string problem =
      R"(tool "files/read_text" is quarantined: inputSchema: untranslatable_pattern)"
      R"( at /properties/a/pattern)";
  EXPECT_EQ(problems_of(profile, tool), std::vector<std::string>{problem});
  profile.untranslatable_patterns = ToolProfile::UntranslatablePatterns::accept;
  EXPECT_EQ(problems_of(profile, tool), std::vector<std::string>());
  // One that costs no more than structured content is told apart.
  const ToolDefinition odd = sample_tool(R"({"type":"object"})", R"({"type":7})");
  const std::string told =
      R"(the output schema of tool "files/read_text" cannot be used: outputSchema: invalid_keyword)"
      R"( at /type)";
  EXPECT_EQ(problems_of(profile, odd), std::vector<std::string>{told});
}

}  // namespace
}  // namespace bartizan
