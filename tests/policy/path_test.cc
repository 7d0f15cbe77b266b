#include "policy/path.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schemas/json.h"
#include "tests/corpus.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kRoot = "/srv/data";

const std::string kLongName(256, 'a');

Reason judge(std::string_view path, std::string_view root = kRoot, std::string_view cwd = kRoot) {
  return judge_path(path, root, cwd).reason;
}

TEST(JudgePath, LiesWithinTheRoot) {
  using enum Reason;
  const struct {
    std::string_view name;
    std::string_view path;
    Reason want;
  } cases[] = {
      {"a file", "/srv/data/notes.md", none},
      {"the root itself", "/srv/data", none},
      {"the root with a slash", "/srv/data/", none},
      {"relative to the working directory", "notes.md", none},
      {"dots that stay inside", "/srv/data/a/../b", none},
      {"repeated slashes", "//srv///data//a", none},
      {"single dots", "/srv/./data/./a", none},
      {"up and down again", "/srv/data/../data/a", none},
      {"far up is the top", "/../../srv/data/a", none},
      {"a sibling whose name begins alike", "/srv/data2/a", path_outside_root},
      {"a sibling whose name is the beginning", "/srv/dat", path_outside_root},
      {"the root's name cut in two", "/srv/d/ta", path_outside_root},
      {"the parent", "/srv", path_outside_root},
      {"the parent by dots", "/srv/data/..", path_outside_root},
      {"dots after a detour", "/srv/data/a/../../etc", path_outside_root},
      {"a detour that hides the root's name", "/etc/srv/data", path_outside_root},
      {"beside, then the root's name", "/srv/x/data", path_outside_root},
      {"relative and up", "../../etc/passwd", path_outside_root},
      {"letter case counts", "/SRV/data/a", path_outside_root},
      {"elsewhere", "/etc/passwd", path_outside_root},
      {"empty", "", path_malformed},
      {"a home directory", "~/notes.md", path_malformed},
      {"someone's home directory", "~root/notes.md", path_malformed},
      {"a tilde elsewhere", "notes~", none},
      {"a blank in front", " /etc/passwd", path_malformed},
      {"a blank behind", "notes.md ", path_malformed},
      {"a blank of another width in front", "\xc2\xa0/etc/passwd", path_malformed},
      {"a blank of another width behind", "notes.md\xe3\x80\x80", path_malformed},
      {"a letter of four bytes behind", "notes.\xf0\xa0\x80\x80", none},
      {"a tag, which nobody sees", "notes\xf3\xa0\x81\xa1.md", path_malformed},
      {"a blank within", "my notes.md", none},
      {"quotes around", "\"/etc/passwd\"", path_malformed},
      {"single quotes around", "'/etc/passwd'", path_malformed},
      {"a quote within", "bob's notes.md", none},
      {"a variable in front", "$HOME/notes.md", path_malformed},
      {"a command in front", "`pwd`/notes.md", path_malformed},
      {"a dollar elsewhere", "a/$b", none},
      {"a backslash", "a\\..\\b", path_malformed},
      {"a line feed", "a\nb", path_malformed},
      {"a NUL", std::string_view("a\0b", 3), path_malformed},
      {"a URL", "file:///srv/data/a", path_malformed},
      {"a drive", "C:/boot.ini", path_malformed},
      {"a colon behind a digit is no scheme", "12:30.md", none},
      {"an encoded dot", "%2e./a", path_malformed},
      {"an encoded slash", "a%2Fb", path_malformed},
      {"encoded twice", "%252e%252e/a", path_malformed},
      {"nested encoding", "%%32%65/a", path_malformed},
      {"encoded more often than anyone decodes", "%2525252525252541", path_malformed},
      {"an overlong dot, encoded", "%c0%ae/a", path_malformed},
      {"a longer overlong dot, encoded", "%e0%80%ae/a", path_malformed},
      {"percent-u", "%u002e/a", path_malformed},
      {"a percent sign", "100%.txt", none},
      {"an encoded letter", "a%20b", none},
      {"dots with a parameter", "..;/a", path_malformed},
      {"four dots", "..../a", path_malformed},
      {"three dots are a file's name", "a/...", none},
      {"three dots are no directory's", ".../a", path_malformed},
      {"a name that no file system holds", kLongName, path_malformed},
      {"NFC", "r\xc3\xa9sum\xc3\xa9.txt", none},
      {"not NFC", "re\xcc\x81sume\xcc\x81.txt", path_malformed},
      {"invalid UTF-8", "a\xff", path_malformed},
      {"UTF-8 that is cut off", "a\xf0\xa0\x80", path_malformed},
      {"a raw overlong dot", "\xc0\xae/a", path_malformed},
      {"a fullwidth dot", "\xef\xbc\x8e\xef\xbc\x8e/a", path_malformed},
      {"a fullwidth slash",
       "a\xef\xbc\x8f"
       "b",
       path_malformed},
      {"a zero width space",
       "a\xe2\x80\x8b"
       "b",
       path_malformed},
      {"a C1 control",
       "a\xc2\x85"
       "b",
       path_malformed},
      {"a zero width joiner spells words",
       "a\xe2\x80\x8d"
       "b",
       none},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(c.path), c.want);
  }
}

TEST(JudgePath, RootAndWorkingDirectory) {
  EXPECT_EQ(judge("notes.md", kRoot, ""), Reason::path_relative);
  EXPECT_EQ(judge("notes.md", kRoot, "data"), Reason::path_relative);
  EXPECT_EQ(judge("/srv/data/a", kRoot, ""), Reason::none);
  EXPECT_EQ(judge("data/a", kRoot, "/srv"), Reason::none);
  EXPECT_EQ(judge("a", kRoot, "/srv"), Reason::path_outside_root);
  EXPECT_EQ(judge("../b", kRoot, "/srv/data/a"), Reason::none);
  EXPECT_EQ(judge("/anything", "/"), Reason::none);
  EXPECT_EQ(judge("/srv/data/a", "/srv/data/"), Reason::none);
  EXPECT_EQ(judge("/srv/data/a", ""), Reason::path_outside_root);
  EXPECT_EQ(judge("a", "srv"), Reason::path_outside_root);
}

/// The corpus's own stand-in for a file outside of the root.
std::string with_file(std::string payload) {
  const std::string mark = "{FILE}";
  const auto place = payload.find(mark);
  if (place != std::string::npos) payload.replace(place, mark.size(), "etc/passwd");
  return payload;
}

struct Row {
  std::string path;
  std::string verdict;
};

std::vector<Row> read_rows(const std::filesystem::path& file, std::string_view member) {
  std::vector<Row> rows;
  for (const std::string& line : corpus_lines(file)) {
    JsonDocument document;
    const Bytes bytes{std::string_view(line)};
    const auto value = document.read(bytes);
    if (!value) {
      ADD_FAILURE() << line;
      continue;
    }
    rows.push_back(
        {std::string(value->find(member).text()), std::string(value->find("verdict").text())});
  }
  return rows;
}

TEST(JudgePath, RefusesTheAttacksOfTheCorpus) {
  const auto file = corpus_file("path-traversal/attacks.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus path-traversal is absent";
  const std::set<std::string> must_refuse{"must_block", "must_block_if_decoded", "encoding_attack",
                                          "windows_absolute", "wrapper"};
  std::map<std::string, int> refused;
  std::map<std::string, int> passed;
  for (const Row& row : read_rows(file, "payload")) {
    const bool denies = judge_path(with_file(row.path), kRoot, kRoot).denies();
    ++(denies ? refused : passed)[row.verdict];
    if (denies || !must_refuse.contains(row.verdict)) continue;
    // Deviation: `0x2e` and `0x5c` are plain text to every decoder, and pass byte for byte.
    const bool is_plain_text =
        row.verdict == "encoding_attack" && (row.path.find("0x") != std::string::npos);
    EXPECT_TRUE(is_plain_text) << row.verdict << ": " << row.path;
  }
  EXPECT_GT(refused["must_block"], 100);
  EXPECT_EQ(passed["must_block"], 0);
  EXPECT_GT(refused["must_block_if_decoded"], 100);
}

TEST(JudgePath, AllowsTheBenignPathsOfTheCorpus) {
  const auto file = corpus_file("path-traversal/benign.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus path-traversal is absent";
  // Deviation: an encoded slash is a separator to some servers and a name to others.
  const std::set<std::string> refused{"a%2fb.txt"};
  const std::vector<Row> rows = read_rows(file, "path");
  EXPECT_GT(rows.size(), 10U);
  for (const Row& row : rows) {
    EXPECT_EQ(judge_path(row.path, kRoot, kRoot).denies(), refused.contains(row.path)) << row.path;
  }
}

std::string utf8(unsigned code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

// Every control and format character that the corpus lists, in the middle of a file's name.
TEST(JudgePath, RefusesInvisibleCharactersOfTheCorpus) {
  const auto file = corpus_file("unicode-attacks/invisible_and_control.jsonl");
  if (file.empty()) GTEST_SKIP() << "the corpus unicode-attacks is absent";
  const std::set<std::string> hidden{"Cc", "Cf", "Zl", "Zp"};
  // Deviation: words of several scripts are misspelled without the two joiners.
  const std::set<std::string> joiners{"200C", "200D"};
  int seen = 0;
  for (const std::string& line : corpus_lines(file)) {
    JsonDocument document;
    const Bytes bytes{std::string_view(line)};
    const auto row = document.read(bytes);
    ASSERT_TRUE(row) << line;
    if (!hidden.contains(std::string(row->find("category").text()))) continue;
    const std::string code(row->find("cp").text());
    ++seen;
    const std::string path = "a" + utf8(static_cast<unsigned>(std::stoul(code, nullptr, 16))) + "b";
    const Reason want = joiners.contains(code) ? Reason::none : Reason::path_malformed;
    EXPECT_EQ(judge(path), want) << code;
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace bartizan
