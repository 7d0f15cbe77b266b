#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "policy/check/compile_policy.h"
#include "policy/text/match.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

ToolProfile profile(std::string pattern, std::string pointer, Predicate predicate) {
  ToolProfile profile{.pattern = std::move(pattern)};
  profile.arguments = {{.pointer = std::move(pointer), .predicate = std::move(predicate)}};
  return profile;
}

TEST(FindRewriteProblems, FindsValuesThatCannotBeForced) {
  const FixedPredicate ten{"10"};
  const FixedPredicate nine{"9"};
  const AbsentPredicate absent;
  const struct {
    std::string_view name;
    std::vector<ToolProfile> tools;
    std::string_view want;  ///< Empty for none.
  } rows[] = {
      {"alone", {profile("files/*", "/a", ten)}, ""},
      {"the same twice", {profile("files/*", "/a", ten), profile("*/read", "/a", ten)}, ""},
      {"of other tools", {profile("files/r*", "/a", ten), profile("files/w*", "/a", nine)}, ""},
      {"another place", {profile("files/*", "/a", ten), profile("files/*", "/ab", absent)}, ""},
      {"something else of it",
       {profile("files/*", "/a", ten), profile("files/*", "/a", NumberPredicate{})},
       ""},
      {"two values",
       {profile("files/*", "/a", ten), profile("files/read", "/a", nine)},
       "\"/a\" is forced to another value by \"files/read\""},
      {"two patterns that meet in some name",
       {profile("files/*_x", "/a", ten), profile("f*/a_*", "/a", nine)},
       "\"/a\" is forced to another value by \"f*/a_*\""},
      {"absent",
       {profile("files/*", "/a", ten), profile("*/read", "/a", absent)},
       "\"/a\" is forced, and \"/a\" must be absent under \"*/read\""},
      {"absent, the other way round",
       {profile("*/read", "/a", absent), profile("files/*", "/a", ten)},
       "\"/a\" is forced, and \"/a\" must be absent under \"*/read\""},
      {"absent above",
       {profile("files/*", "/a/b", ten), profile("files/*", "/a", absent)},
       "\"/a/b\" is forced, and \"/a\" must be absent under \"files/*\""},
      {"absent below", {profile("files/*", "/a", ten), profile("files/*", "/a/b", absent)}, ""},
      {"one above the other",
       {profile("files/*", "/a", ten), profile("files/*", "/a/b", ten)},
       "\"/a\" is forced, and so is \"/a/b\" below it, by \"files/*\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config config = sample_config();
    config.tools = row.tools;
    std::string found;
    for (const ConfigProblem& problem : find_rewrite_problems(config)) {
      EXPECT_EQ(problem.severity, ConfigProblem::Severity::error);
      found += problem.message + "\n";
    }
    EXPECT_EQ(found, row.want.empty() ? "" : std::string(row.want) + "\n");
  }
}

TEST(Glob, MeetsWhatSomeNameMatchesToo) {
  const struct {
    std::string_view one;
    std::string_view other;
    bool want;
  } rows[] = {
      {"a/b", "a/b", true},    {"a/b", "a/c", false},   {"a/*", "a/b", true},
      {"a/*b", "a/c*", true},  {"a/b*", "a/c*", false}, {"a/*b", "a/*c", false},
      {"a/b*b", "a/b", false}, {"a/b*b", "a/bb", true}, {"a/*b*", "a/*c*", true},
      {"*/x", "a/*", true},    {"*/x", "a/y*", false},  {"a/**", "a/b", true},
      {"**", "a/b", true},     {"a/**", "b/c", false},  {"a/*", "a", false},
      {"a/*", "a/b/c", false}, {"a/**", "a/b/c", true}, {"a*b/*", "*c*/x", true},
      {"a*a", "a", false},     {"*", "*", true},        {"a*c*e", "*b*d*", true},
      {"a*c*e", "*f", false},  {"***", "x", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.one) + " " + std::string(row.other));
    EXPECT_EQ(Glob(std::string(row.one)).meets(Glob(std::string(row.other))), row.want);
    EXPECT_EQ(Glob(std::string(row.other)).meets(Glob(std::string(row.one))), row.want);
  }
}

}  // namespace
}  // namespace bartizan
