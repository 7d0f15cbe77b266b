#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "policy/check/compile_policy.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

std::vector<std::string> problems(const Config& config, const KnownNames& names = {}) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_path_problems(config, names))
    lines.push_back(text(problem));
  return lines;
}

TEST(FindPathProblems, FindsPatternsThatNoPathCouldMatch) {
  Config config = sample_config();
  config.paths["docs"].deny = {"a/b", "~*", "*.md"};
  config.paths["docs"].deny_names = {"$*", ".*"};
  EXPECT_EQ(problems(config), std::vector<std::string>());
  config.paths["docs"].deny = {"re\xcc\x81sume\xcc\x81"};
  config.paths["docs"].writable = {{"a "}};
  const std::vector<std::string> found = problems(config);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(
      found[0].contains("error: \"re\xcc\x81sume\xcc\x81\" of [path.docs] is spelled in a way"))
      << found[0];
  EXPECT_TRUE(found[1].contains("\"a \" of [path.docs]")) << found[1];
  Config odd = sample_config();
  odd.paths["docs"].root = "/srv/~data\xc2\xad";
  ASSERT_EQ(problems(odd).size(), 1U);
  EXPECT_TRUE(problems(odd)[0].contains("warning: the root"));
}

ToolProfile asking(std::string pattern, std::string path) {
  ToolProfile profile{.pattern = std::move(pattern)};
  profile.arguments = {{.pointer = "/path", .predicate = PathPredicate{std::move(path)}}};
  return profile;
}

TEST(FindPathProblems, FindsToolsThatReadWhatIsNoFile) {
  Config config = sample_config();
  config.paths["docs"].extensions = {".md"};
  config.paths["docs-file"] = config.paths["docs"];
  config.paths["docs-file"].kind = PathConfig::Kind::file;
  const KnownNames names{.tools = {{"files", {"list", "read_text", "spread_sheet"}}},
                         .prompts = {}};
  const struct {
    std::string_view name;
    std::vector<ToolProfile> tools;
    KnownNames names;
    std::string_view want;  ///< The tool that is named; empty for none.
  } rows[] = {
      {"a tool that is known", {asking("files/*", "docs")}, names, "files/read_text"},
      {"nothing is known", {asking("files/*", "docs")}, {}, ""},
      {"its pattern tells", {asking("files/read_*", "docs")}, {}, "files/read_*"},
      {"another word", {asking("files/get_file_contents", "docs")}, {}, "files/get_file_contents"},
      {"a file is asked for", {asking("files/*", "docs-file")}, names, ""},
      {"another profile asks for it",
       {asking("files/*", "docs"), asking("files/read_*", "docs-file")},
       names,
       ""},
      {"a profile of other tools asks for it",
       {asking("files/*", "docs"), asking("files/list", "docs-file")},
       names,
       "files/read_text"},
      {"no reader",
       {asking("files/list", "docs"), asking("files/spread_sheet", "docs")},
       names,
       ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    config.tools = row.tools;
    const std::vector<std::string> found = problems(config, row.names);
    ASSERT_EQ(found.size(), row.want.empty() ? 0U : 1U);
    if (row.want.empty()) continue;
    EXPECT_TRUE(found[0].contains("warning: \"" + std::string(row.want) +
                                  "\" reads files, and [path.docs] lets"))
        << found[0];
  }
  config.paths["docs"].extensions.clear();
  config.tools = {asking("files/*", "docs")};
  EXPECT_EQ(problems(config, names), std::vector<std::string>()) << "no extension is asked for";
}

}  // namespace
}  // namespace bartizan
