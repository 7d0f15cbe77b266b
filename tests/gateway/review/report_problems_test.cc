#include "gateway/review/report_problems.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

using Severity = ConfigProblem::Severity;

const std::vector<ConfigProblem> kProblems{
    {.severity = Severity::error,
     .where = "/etc/b/c.toml:7:3",
     .message = "100% \"wrong\"",
     .hint = "write <this>"},
    {.severity = Severity::warning, .where = "a,b:c.toml:2", .message = "doubtful\nindeed"},
    {.severity = Severity::warning, .message = "nowhere"},
};

TEST(PlaceOfProblem, HasTheNumbersAtItsEnd) {
  const struct {
    std::string_view where, file;
    std::uint32_t line, column;
  } rows[] = {
      {"/etc/c.toml:12:7", "/etc/c.toml", 12, 7},
      {"/etc/c.toml:12", "/etc/c.toml", 12, 0},
      {"/etc/c.toml", "/etc/c.toml", 0, 0},
      {"a:b.toml:1:2", "a:b.toml", 1, 2},
      {"a:b", "a:b", 0, 0},
      {"", "", 0, 0},
      {"c.toml:99999999999:1", "c.toml:99999999999", 1, 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.where);
    const ProblemPlace place = place_of_problem(row.where);
    EXPECT_EQ(place.file, row.file);
    EXPECT_EQ(place.line, row.line);
    EXPECT_EQ(place.column, row.column);
  }
}

TEST(ReportProblems, ForGithub) {
  EXPECT_EQ(problems_github(kProblems),
            "::error file=/etc/b/c.toml,line=7,col=3::100%25 \"wrong\"; write <this>\n"
            "::warning file=a%2Cb%3Ac.toml,line=2::doubtful%0Aindeed\n"
            "::warning ::nowhere\n");
}

TEST(ReportProblems, AsSarif) {
  constexpr std::array<ReportRule, 2> kRules{{{"one", "The first."}, {"other", "The other."}}};
  constexpr std::array<std::size_t, 3> kRuleOf{1, 0, 1};
  const std::string text = problems_sarif(kProblems, kRuleOf, kRules, "bartizan check");
  const Bytes bytes(text);
  JsonDocument document;
  const auto root = document.read(bytes);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->at_pointer("/version").text(), "2.1.0");
  const JsonValue results = root->at_pointer("/runs/0/results");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results.at_pointer("/0/level").text(), "error");
  const JsonValue place = results.at_pointer("/0/locations/0/physicalLocation");
  EXPECT_EQ(place.at_pointer("/artifactLocation/uri").text(), "/etc/b/c.toml");
  EXPECT_EQ(place.at_pointer("/region/startLine").integer(), 7);
  EXPECT_EQ(place.at_pointer("/region/startColumn").integer(), 3);
  EXPECT_FALSE(results.at_pointer("/2/locations"));
  const JsonValue rules = root->at_pointer("/runs/0/tool/driver/rules");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules.at_pointer("/0/shortDescription/text").text(), "The first.");
  for (const JsonValue result : results) {
    const std::string index = std::to_string(result.find("ruleIndex").integer().value_or(9));
    EXPECT_EQ(rules.at_pointer("/" + index + "/id").text(), result.find("ruleId").text());
    EXPECT_EQ(result.find("kind").text(), "fail");
  }
  EXPECT_EQ(results.at_pointer("/0/ruleId").text(), "other");
}

TEST(ReportProblems, AsJunit) {
  const std::string lenient = problems_junit(kProblems, "bartizan check", "c.toml", false);
  EXPECT_TRUE(lenient.contains("tests=\"3\" failures=\"1\"")) << lenient;
  EXPECT_TRUE(
      lenient.contains("<failure message=\"error: 100% &quot;wrong&quot;; write &lt;this&gt;\"/>"))
      << lenient;
  EXPECT_TRUE(problems_junit(kProblems, "bartizan check", "c.toml", true)
                  .contains("tests=\"3\" failures=\"3\""));
  EXPECT_TRUE(problems_junit({}, "bartizan check", "c.toml", false)
                  .contains("<testcase classname=\"bartizan check\" name=\"c.toml\"/>"));
}

TEST(WriteProblems, ShowTheSourceOnATerminalButNoSecret) {
  const std::string file = testing::TempDir() + "/report_problems.toml";
  std::ofstream(file) << "version = 1\n\tkey = wrong\ntoken = \"AKIAIOSFODNN7EXAMPLQ\"\n";
  const std::vector<ConfigProblem> problems{
      {.where = file + ":2:8", .message = "one"},
      {.where = file + ":3:9", .message = "two"},
      {.where = file + ":9:1", .message = "three"},
      {.where = "/missing.toml:1:1", .message = "four"},
  };
  const auto written = [&problems](Terminal terminal) {
    std::ostringstream results;
    std::ostringstream out;
    write_problems(problems, {.results = results, .problems = out, .terminal = terminal});
    return std::move(out).str();
  };
  const std::string plain = written({});
  EXPECT_FALSE(plain.contains("key = wrong"));
  EXPECT_FALSE(plain.contains('\x1b'));
  const std::string shown = written({.shows_source = true});
  EXPECT_TRUE(shown.contains(":2:8: error: one\n   key = wrong\n         ^\n")) << shown;
  EXPECT_FALSE(shown.contains("AKIA")) << shown;
  EXPECT_FALSE(shown.contains('\x1b'));
  const std::string coloured = written({.shows_source = true, .has_colour = true});
  EXPECT_TRUE(coloured.contains("\x1b[1;31merror:\x1b[0m one")) << coloured;
}

}  // namespace
}  // namespace bartizan
