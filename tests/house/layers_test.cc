#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gateway/runtime/version.h"
#include "tests/checkout.h"
#include "tests/house/house_rules.h"
#include "tests/house/prose_rules.h"

namespace bartizan {
namespace {

using Rule = std::vector<std::string> (*)(const Tree&);

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

const Tree& project() {
  static const Tree tree = read_tree(project_file(""));
  return tree;
}

/// A text of so many words, without a stop.
std::string words(std::size_t count) {
  std::string text = "Word";
  for (std::size_t i = 1; i < count; ++i)
    text += " word";
  return text;
}

TEST(House, IncludesPointOneWay) {
  EXPECT_EQ(joined(wrong_includes(project())), "");
}
TEST(House, RoomsIncludeOneWay) {
  EXPECT_EQ(joined(wrong_rooms(project())), "");
}
TEST(House, ListsOfSourcesAreSorted) {
  EXPECT_EQ(joined(unsorted_lists(project())), "");
}
TEST(House, MachineryStaysInTheGateway) {
  EXPECT_EQ(joined(wrong_machinery(project())), "");
}
TEST(House, TimeIsThatWhichThreadsWereLent) {
  EXPECT_EQ(joined(unlent_time(project())), "");
}
TEST(House, NoFileIsDead) {
  EXPECT_EQ(joined(dead_files(project())), "");
}
TEST(House, LinksOfPagesResolve) {
  EXPECT_EQ(joined(dead_links(project())), "");
}
TEST(House, FilesStayShort) {
  EXPECT_EQ(joined(long_files(project())), "");
}
TEST(House, NamesOfTypesAreTheirOwn) {
  EXPECT_EQ(joined(twice_defined(project())), "");
}
TEST(House, LinesOfPagesStayNarrow) {
  EXPECT_EQ(joined(wide_lines(project())), "");
}
TEST(House, PagesAreInShortSentences) {
  EXPECT_EQ(joined(long_sentences(project())), "");
}
TEST(House, PublicCommentsStandAlone) {
  EXPECT_EQ(joined(leaning_comments(project())), "");
}
TEST(House, BannedWordsStayOut) {
  EXPECT_EQ(joined(banned_words(project())), "");
}
TEST(House, EveryFolderAndRoomHasAPage) {
  EXPECT_EQ(joined(folders_without_page(project())), "");
}

TEST(House, TheWholeTreeIsRead) {
  EXPECT_TRUE(project().contains("schemas/base/result.h"));
  EXPECT_TRUE(project().contains("gateway/main.cc"));
  EXPECT_TRUE(project().at("CMakeLists.txt").contains("project(bartizan"));
}

TEST(House, TheVersionIsTheBuilds) {
  const std::string wanted = "project(bartizan VERSION " + std::string(kVersion) + " ";
  EXPECT_TRUE(project().at("CMakeLists.txt").contains(wanted));
}

/// Each rule sees what it is for, and lets its nearest harmless neighbour pass.
TEST(House, RulesSeeWhatTheyAreFor) {
  struct Row {
    std::string name;
    Rule rule;
    Tree tree;
    std::vector<std::string> found;
  };
  const std::string lines_450(450, '\n');
  std::string columns_100;
  for (int i = 0; i < 100; ++i)
    columns_100 += "\u00e9";
  const std::vector<Row> rows = {
      {"one name for two classes",
       twice_defined,
       {{"audit/a.h", "class Reader {\n};\n"}, {"gateway/b.h", "\nclass Reader final {\n"}},
       {"gateway/b.h:2: Reader of audit/a.h"}},
      {"a name within a class, or declared, or of a source",
       twice_defined,
       {{"audit/a.h", "struct Reader {\n  struct Line {};\n"},
        {"gateway/b.h", "struct Reader;\nstruct Other {\n  struct Line {};\n"},
        {"gateway/c.cc", "struct Reader {\n"}},
       {}},
      {"one name for a struct, an enumeration and an alias",
       twice_defined,
       {{"audit/a.h", "enum class Answer : std::uint8_t { no, yes };\n"},
        {"gateway/b.h", "struct Answer {\n"},
        {"gateway/c.h", "using Answer = int;\n"}},
       {"gateway/b.h:1: Answer of audit/a.h", "gateway/c.h:1: Answer of audit/a.h"}},
      {"an alias within a class, a declared enumeration, and what is taken from a namespace",
       twice_defined,
       {{"audit/a.h", "struct Answer {\n  using Line = int;\n"},
        {"gateway/b.h", "enum class Answer : int;\nusing std::Answer;\n"},
        {"gateway/c.h", "struct Other {\n  using Line = int;\n"}},
       {}},
      {"a room includes what stands before it",
       wrong_rooms,
       {{"policy/sql/a.h", "#include \"policy/text/b.h\"\n#include \"policy/sql/c.h\"\n"},
        {"config/load/a.h", "#include \"config/b.h\"\n"},
        {"gateway/main.cc", "#include \"gateway/command/a.h\"\n"}},
       {}},
      {"a room includes forward",
       wrong_rooms,
       {{"policy/text/a.h", "\n#include \"policy/sql/b.h\"\n"},
        {"config/a.h", "#include \"config/load/b.h\"\n"}},
       {"config/a.h:1: config/load/b.h", "policy/text/a.h:2: policy/sql/b.h"}},
      {"a source in no room",
       wrong_rooms,
       {{"policy/a.h", ""},
        {"policy/unknown/b.h", ""},
        {"policy/README.md", ""},
        {"audit/c.h", ""}},
       {"policy/a.h: stands in no room", "policy/unknown/b.h: stands in no room"}},
      {"a room without a page",
       folders_without_page,
       {{"policy/README.md", ""},
        {"policy/sql/a.h", ""},
        {"policy/text/README.md", ""},
        {"policy/text/b.h", ""},
        {"tests/README.md", ""},
        {"tests/policy/c.cc", ""}},
       {"policy/sql: no README.md"}},
      {"sorted lists",
       unsorted_lists,
       {{"audit/CMakeLists.txt",
         "add_library(x\n  a.cc\n  b/c.cc)\nadd_library(y\n  ${z}\n  a.cc)\n"}},
       {}},
      {"an unsorted list",
       unsorted_lists,
       {{"audit/CMakeLists.txt", "add_library(x\n  b.cc\n  a.cc)\n"}},
       {"audit/CMakeLists.txt:3: a.cc"}},
      {"100 columns of two bytes", wide_lines, {{"docs/a.md", columns_100 + "\n"}}, {}},
      {"101 columns",
       wide_lines,
       {{"docs/a.md", columns_100 + "x\n"}},
       {"docs/a.md: 1 lines over 100 columns, 0 allowed"}},
      {"as many wide lines as are allowed",
       wide_lines,
       {{"docs/a.md", columns_100 + "x\n"}, {"tests/house/wide_lines.txt", "docs/a.md 1\n"}},
       {}},
      {"fewer wide lines than are allowed",
       wide_lines,
       {{"docs/a.md", ""}, {"tests/house/wide_lines.txt", "docs/a.md 1\n"}},
       {"docs/a.md: 0 lines over 100 columns, so write that number into wide_lines.txt"}},
      {"down is allowed", wrong_includes, {{"policy/a.h", "#include \"config/b.h\"\n"}}, {}},
      {"the same folder is allowed",
       wrong_includes,
       {{"policy/a.h", "#include \"policy/b.h\"\n"}},
       {}},
      {"up is refused",
       wrong_includes,
       {{"policy/a.h", "\n#include \"audit/b.h\"\n"}},
       {"policy/a.h:2: audit/b.h"}},
      {"tests are refused",
       wrong_includes,
       {{"gateway/a.cc", "#include \"tests/corpus.h\"\n"}},
       {"gateway/a.cc:1: tests/corpus.h"}},
      {"a thread in the gateway", wrong_machinery, {{"gateway/a.cc", "#include <thread>\n"}}, {}},
      {"a thread in the policy",
       wrong_machinery,
       {{"policy/a.cc", "#include <thread>\n"}},
       {"policy/a.cc:1: #include <thread>"}},
      {"a clock's type is a value",
       wrong_machinery,
       {{"policy/a.cc", "std::chrono::system_clock::time_point now;\n"}},
       {}},
      {"a clock is read",
       wrong_machinery,
       {{"audit/a.cc", "auto t = std::chrono::system_clock::now();\n"}},
       {"audit/a.cc:1: _clock::now("}},
      {"the file that reads clocks and starts threads",
       unlent_time,
       {{"gateway/runtime/clock.cc", "return std::chrono::steady_clock::now();\n"},
        {"gateway/runtime/clock.h", "return std::thread([] {});\n"},
        {"tests/gateway/a.cc", "Clock::now();\n"}},
       {}},
      {"time that nobody lent",
       unlent_time,
       {{"gateway/call/a.cc", "auto t = Clock::now();\n"},
        {"gateway/call/b.cc", "threads_.emplace_back([] {});\nstd::time(nullptr);\n"},
        {"gateway/runtime/loop.cc", "std::thread([] {}).detach();\n"}},
       {"gateway/call/a.cc:1: lock::now(", "gateway/call/b.cc:1: threads_.emplace_back",
        "gateway/call/b.cc:2: std::time(", "gateway/runtime/loop.cc:1: std::thread("}},
      {"listed and included",
       dead_files,
       {{"config/CMakeLists.txt", "add_library(x STATIC\n  a.cc)\n"},
        {"config/a.cc", "#include \"config/a.h\"\n"},
        {"config/a.h", ""}},
       {}},
      {"listed by part of its name only",
       dead_files,
       {{"config/CMakeLists.txt", "add_library(x STATIC aa.cc)\n"}, {"config/a.cc", ""}},
       {"config/a.cc: no CMakeLists.txt names it"}},
      {"included by nobody", dead_files, {{"config/a.h", ""}}, {"config/a.h: nobody includes it"}},
      {"a fuzz target",
       dead_files,
       {{"fuzz/CMakeLists.txt", "bartizan_fuzz(json x)\n"}, {"fuzz/fuzz_json.cc", ""}},
       {}},
      {"links that lead somewhere",
       dead_links,
       {{"docs/a.md",
         "[b](b.md#part) [up](../README.md) [folder](../docs/) [web](https://x.org) [here](#a)"},
        {"docs/b.md", ""},
        {"README.md", ""}},
       {}},
      {"a link that leads nowhere",
       dead_links,
       {{"docs/a.md", "see\n[b](b.md) and [c](../c.md)"}, {"c.md", ""}},
       {"docs/a.md:2: b.md"}},
      {"450 lines", long_files, {{"audit/a.cc", lines_450}}, {}},
      {"451 lines", long_files, {{"audit/a.cc", lines_450 + "\n"}}, {"audit/a.cc: 451 lines"}},
      {"a comment that means the declaration above it",
       leaning_comments,
       {{"audit/a.h",
         "/// Reads it.\nint read();\n/// The same for\n/// texts.\nint read_text();\n"},
        {"gateway/b.h", "struct B {\n  int one = 0;  ///< Likewise.\n  /// As above.\n"},
        {"fuzz/c.h",
         "int a = 0;  ///< Of a\n            ///< file.\n///< The same.\n"
         "int b = 0;\n/// The same.\n"}},
       {"audit/a.h:3: The same", "fuzz/c.h:5: The same", "gateway/b.h:2: Likewise",
        "gateway/b.h:3: As above"}},
      {"a comment of a source, of a test, or with two slashes",
       leaning_comments,
       {{"audit/a.cc", "/// The same for texts.\n"},
        {"tests/audit/a.h", "/// The same for texts.\n"},
        {"audit/b.h", "  // The same for texts.\n"}},
       {}},
      {"such words further on in a comment",
       leaning_comments,
       {{"audit/a.h",
         "/// Two spellings of\n/// The same thing. The same again.\n///\n/// The same.\n"},
        {"audit/b.h", "int a = 0;  ///< In front of\n            ///< The same one.\n"}},
       {}},
      {"the system's errors",
       banned_words,
       {{"audit/a.cc", "std::system_error file_system(x);\n"}},
       {}},
      {"a shell", banned_words, {{"audit/a.cc", "  system(x);\n"}}, {"audit/a.cc:1:  system("}},
      {"swallowed over lines",
       banned_words,
       {{"audit/a.cc", "try {\n} catch (...) {\n}\n"}},
       {"audit/a.cc: an exception is swallowed"}},
      {"caught and answered",
       banned_words,
       {{"audit/a.cc", "} catch (...) {\n  return 1;\n}\n"}},
       {}},
      {"a row of a table of any width", wide_lines, {{"docs/a.md", "|" + columns_100 + "|\n"}}, {}},
      {"a sentence of 35 words",
       long_sentences,
       {{"docs/a.md", words(35) + ". Short.\n\nTo.\n"}},
       {}},
      {"one of 36",
       long_sentences,
       {{"docs/a.md", "Short. Short. Short. Short.\n\n" + words(36) + ".\n"}},
       {"docs/a.md:3: a sentence of 36 words"}},
      {"one of 36 in a list, in a table, and over lines",
       long_sentences,
       {{"docs/a.md", "A. A. A. A. A. A.\n\n- " + words(36) + "\n\n| a | b |\n|---|---|\n| " +
                          words(36) + " | c |\n\n" + words(20) + "\n" + words(16) + ".\n"}},
       {"docs/a.md:3: a sentence of 36 words", "docs/a.md:7: a sentence of 36 words",
        "docs/a.md:9: a sentence of 36 words"}},
      {"code, links, headings and fences are not counted in words",
       long_sentences,
       {{"docs/a.md", "# " + words(50) + "\n\n```\n" + words(50) + "\n```\n\nRun `" + words(50) +
                          "` and [read](a/" + words(50) + ").\n"}},
       {}},
      {"sentences that are long in the mean",
       long_sentences,
       {{"docs/a.md", words(16) + ".\n"}},
       {"docs/a.md: 16 words in 1 sentences, more than 15 in the mean"}},
      {"pages of a decision and of a room",
       long_sentences,
       {{"docs/decisions/a.md", words(16) + ".\n"}, {"gateway/net/README.md", words(16) + ".\n"}},
       {"docs/decisions/a.md: 16 words in 1 sentences, more than 15 in the mean",
        "gateway/net/README.md: 16 words in 1 sentences, more than 15 in the mean"}},
      {"the plan, the list of changes, and a notice",
       long_sentences,
       {{"CHANGELOG.md", words(50)},
        {"docs/PLAN.md", words(50)},
        {"schemas/mcp/NOTICE.md", words(50)}},
       {}},
      {"a folder with its page", folders_without_page, {{"docs/README.md", ""}, {"a.md", ""}}, {}},
      {"a folder without", folders_without_page, {{"docs/a.md", ""}}, {"docs: no README.md"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.rule(row.tree), row.found);
  }
}

}  // namespace
}  // namespace bartizan
