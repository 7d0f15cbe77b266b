#include "policy/path/path.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"
#include "tests/corpus.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::string_view kRoot = "/srv/data";

const std::string kLongName(256, 'a');

std::string long_path() {
  std::string path;
  while (path.size() <= 4096)
    path += "a/";
  return path;
}
const std::string kLongPath = long_path();

Reason judge_by(const PathConfig& config, std::string_view path, std::string_view cwd = kRoot) {
  ValueFacts facts{.cwd = cwd};
  return judge_path(path, compile_path_rules(config), facts);
}

Reason judge(std::string_view path, std::string_view root = kRoot, std::string_view cwd = kRoot) {
  return judge_by({.root = std::string(root)}, path, cwd);
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
      {"a backslash is a name's or a separator", "a\\..\\b", none},
      {"backslashes that climb", "a\\..\\..\\b", path_outside_root},
      {"one reading inside, the other not", "b/..\\..\\..\\etc", path_outside_root},
      {"a share", "\\\\server\\share", path_outside_root},
      {"folded, then decoded", "x%255Cy\\%252e%252e\\%252e%252e", path_outside_root},
      {"a line feed", "a\nb", path_malformed},
      {"a NUL", std::string_view("a\0b", 3), path_malformed},
      {"a URL", "file:///srv/data/a", path_malformed},
      {"a drive", "C:/boot.ini", path_malformed},
      {"a colon behind a digit is not a scheme", "12:30.md", none},
      {"an encoded dot", "%2e./a", path_outside_root},
      {"an encoded dot that stays inside", "a/%2e%2e/b", path_malformed},
      {"an encoded backslash that stays inside", "a%5cb", path_malformed},
      {"both encoded twice", "a%255c%252e", path_malformed},
      {"an encoded home", "%7e/a", path_malformed},
      {"an encoded NUL", "a%00.md", path_malformed},
      {"an encoded line feed", "a%0ab", path_malformed},
      {"encoded absolute", "%2fetc/passwd", path_outside_root},
      {"encoded absolute, and inside", "%2fsrv%2fdata%2fa", none},
      {"encoded UTF-8", "r%c3%a9sum%c3%a9.txt", none},
      {"encoded, and no UTF-8", "r%e9sum%e9.txt", path_malformed},
      {"an encoded fullwidth dot", "%ef%bc%8e%ef%bc%8e/a", path_malformed},
      {"an encoded backslash that climbs", "..%5c..%5cetc", path_outside_root},
      {"an encoded slash", "a%2Fb", none},
      {"encoded slashes that climb", "a%2F..%2F..%2Fetc", path_outside_root},
      {"encoded twice", "%252e%252e/a", path_outside_root},
      {"encoded three times", "%25252e%25252e/a", path_outside_root},
      {"nested encoding", "%%32%65%%32%65/a", path_outside_root},
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
      {"a path that no system opens", kLongPath, path_malformed},
      {"NFC", "r\xc3\xa9sum\xc3\xa9.txt", none},
      {"not NFC", "re\xcc\x81sume\xcc\x81.txt", path_malformed},
      {"invalid UTF-8", "a\xff", path_malformed},
      {"UTF-8 that is cut off", "a\xf0\xa0\x80", path_malformed},
      {"a raw overlong dot", "\xc0\xae/a", path_malformed},
      {"a leader of two dots, set upright", "\xef\xb8\xb0/a", path_malformed},
      {"an ellipsis", "a\xe2\x80\xa6", path_malformed},
      {"a fullwidth percent sign",
       "\xef\xbc\x85"
       "2e/a",
       path_malformed},
      {"a fullwidth tilde", "\xef\xbd\x9e/a", path_malformed},
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

struct NameRow {
  std::string_view name;
  PathConfig config;
  std::string_view path;
  Reason want;
};

void expect_rows(const std::vector<NameRow>& rows) {
  for (const NameRow& row : rows) {
    SCOPED_TRACE(std::string(row.name) + ": " + std::string(row.path));
    PathConfig config = row.config;
    config.root = kRoot;
    EXPECT_EQ(judge_by(config, row.path), row.want);
  }
}

using Kind = PathConfig::Kind;

TEST(JudgePath, StartsRelativePathsFromTheBase) {
  const PathConfig below{.root = "/srv/data", .base = "/srv/data/sub"};
  const PathConfig above{.root = "/srv/data", .base = "/srv"};
  EXPECT_EQ(judge_by(below, "../a", ""), Reason::none);
  EXPECT_EQ(judge_by(below, "../../a", "/srv/data/a/b"), Reason::path_outside_root);
  EXPECT_EQ(judge_by(above, "a"), Reason::path_outside_root);
  EXPECT_EQ(judge_by(above, "data/a"), Reason::none);
  EXPECT_EQ(judge_by({.root = "/srv/data", .base = "x"}, "a"), Reason::path_relative);
}

TEST(JudgePath, AsksForKindAndExtension) {
  using enum Reason;
  const std::vector<std::string> texts{".md", ".txt"};
  const PathConfig any{.extensions = texts};
  const PathConfig file{.kind = Kind::file, .extensions = texts};
  const PathConfig open_file{.kind = Kind::file};
  const PathConfig directory{.kind = Kind::directory, .extensions = texts};
  const PathConfig archive{.kind = Kind::file, .extensions = {".tar.gz"}};
  expect_rows({
      {"a file", file, "a/notes.md", none},
      {"another extension of the list", file, "notes.txt", none},
      {"another one", file, "file.exe", path_extension_not_allowed},
      {"the extension in the middle", file, "notes.md.exe", path_extension_not_allowed},
      {"none", file, "a.md/Makefile", path_extension_not_allowed},
      {"its letters without the dot", file, "notesmd", path_extension_not_allowed},
      {"another case", file, "notes.MD", path_extension_not_allowed},
      {"two dots", archive, "a.tar.gz", none},
      {"the last dot alone", archive, "a.gz", path_extension_not_allowed},
      {"a file as a folder", file, "notes.md/", path_not_allowed},
      {"a file as a folder by a dot", file, "notes.md/.", path_not_allowed},
      {"the root is not a file", file, ".", path_not_allowed},
      {"the folder that dots lead to", file, "a.md/b/..", path_not_allowed},
      {"dots before a file", file, "a.exe/../b.md", none},
      {"any file", open_file, "file.exe", none},
      {"any file, and yet a folder", open_file, "a/", path_not_allowed},
      {"a folder's name has no dot", any, "src/main/java", none},
      {"the root", any, ".", none},
      {"a dot needs an extension", any, "file.exe", path_extension_not_allowed},
      {"even of a folder", any, "v1.2/", path_extension_not_allowed},
      {"a dot above counts for nothing", any, "v1.2/notes", none},
      {"a folder is not asked", directory, "v1.2", none},
      {"cut off behind a NUL", file, "a.exe%00.md", path_malformed},
      {"an extension that decoding takes away", file, "a.exe%2f..%2fb.md%2f..%2fc.exe",
       path_extension_not_allowed},
      {"an extension that decoding brings", file, "a%2emd", path_extension_not_allowed},
      {"a dot of an extension that decoding brings", file, "a%2emd.md", path_malformed},
      {"an extension in either reading", file, "a%20b.md", none},
      // That another reading leads outside is the graver reason, and none that it does not.
      {"outside once it is decoded", file, "..%2f..%2fetc/passwd", path_outside_root},
      {"outside once it is decoded twice", file, "..%252f..%252fetc", path_outside_root},
      {"outside behind backslashes", file, "..\\..\\etc", path_outside_root},
      {"outside, and no file's name", file, "a/..%2f..%2f..%2fetc/", path_outside_root},
      {"a step back that stays inside", file, "a%2f..%2fb.exe", path_extension_not_allowed},
      {"a name with dots and an escape", file, "..%20..%20etc", path_extension_not_allowed},
  });
}

TEST(JudgePath, HiddenNamesMayBeRefused) {
  using enum Reason;
  const PathConfig refused{.refuse_hidden = true};
  expect_rows({
      {"hidden", {}, ".git/config", none},
      {"refused", refused, ".git/config", path_not_allowed},
      {"below a folder", refused, "a/.env", path_not_allowed},
      {"encoded", refused, "a/%2eenv", path_not_allowed},
      {"behind a backslash", refused, "a\\.env", path_not_allowed},
      {"left again", refused, ".git/../a", none},
      {"a dot within", refused, "a.b/c.d", none},
      {"the root itself", refused, ".", none},
  });
  // What is above the root is not the caller's to name.
  const PathConfig under{.root = "/home/.data", .refuse_hidden = true};
  EXPECT_EQ(judge_by(under, "/home/.data/a"), none);
}

TEST(JudgePath, AllowsAndDeniesByGlobs) {
  using enum Reason;
  const PathConfig reports{.allow = {"reports", "*.md"}};
  const PathConfig below{.allow = {"reports/**"}};
  const PathConfig guarded{.deny = {"secrets", "a/*.key"}, .deny_names = {".env", "id_*"}};
  const PathConfig both{.allow = {"reports"}, .deny = {"reports/*/raw"}};
  expect_rows({
      {"itself", reports, "reports", none},
      {"below", reports, "reports/2027/a.csv", none},
      {"by its pattern", reports, "notes.md", none},
      {"a pattern of another depth", reports, "a/notes.md", path_not_allowed},
      {"almost", reports, "reports2/a", path_not_allowed},
      {"the root is not named", reports, ".", path_not_allowed},
      {"dots that lead out of it", reports, "reports/../secrets", path_not_allowed},
      {"encoded dots that lead out of it", reports, "reports/%2e%2e/secrets", path_not_allowed},
      {"all below", below, "reports/a/b", none},
      {"not itself", below, "reports", path_not_allowed},
      {"nothing denied", guarded, "a/b.md", none},
      {"denied", guarded, "secrets", path_not_allowed},
      {"denied with all below", guarded, "secrets/a/b", path_not_allowed},
      {"absolute", guarded, "/srv/data/secrets/a", path_not_allowed},
      {"denied at that depth alone", guarded, "b/secrets", none},
      {"denied by pattern", guarded, "a/x.key", path_not_allowed},
      {"encoded", guarded, "secret%73/a", path_not_allowed},
      {"a name anywhere", guarded, "a/b/.env", path_not_allowed},
      {"a name of a folder", guarded, "id_keys/a", path_not_allowed},
      {"almost the name", guarded, ".environment", none},
      {"the root", guarded, ".", none},
      {"allowed and not denied", both, "reports/a/b", none},
      {"denied though allowed", both, "reports/a/raw/b", path_not_allowed},
  });
}

TEST(JudgePath, WritableNamesBindToolsThatMayWrite) {
  using enum Reason;
  const std::vector<std::string> patterns{"SENTINEL_REPORT_{date}.md", "packed_{YYYYMMDD}",
                                          "dashed_{YYYY-MM-DD}", "out/*/{nn}.csv", "tmp/**"};
  const PathConfig some{.root = std::string(kRoot), .writable = patterns};
  const PathConfig nothing{.root = std::string(kRoot), .writable = std::vector<std::string>()};
  const struct {
    std::string_view path;
    Reason want;
  } rows[] = {
      {"SENTINEL_REPORT_2027-03-31.md", none},
      {"SENTINEL_REPORT_20270331.md", none},
      {"SENTINEL_REPORT_2027-0331.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-02-29.md", path_not_allowed},
      {"SENTINEL_REPORT_2028-02-29.md", none},
      {"SENTINEL_REPORT_2100-02-29.md", path_not_allowed},
      {"SENTINEL_REPORT_2000-02-29.md", none},
      {"SENTINEL_REPORT_20270229.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-04-31.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-04-30.md", none},
      {"SENTINEL_REPORT_2027-00-10.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-10-00.md", path_not_allowed},
      {"packed_20270331", none},
      {"packed_2027-03-31", path_not_allowed},
      {"dashed_2027-03-31", none},
      {"dashed_20270331", path_not_allowed},
      {"SENTINEL_REPORT_2027-13-31.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-03-32.md", path_not_allowed},
      {"SENTINEL_REPORT_2027-03-31xmd", path_not_allowed},
      {"SENTINEL_REPORT_2027-03-31.md/a", path_not_allowed},
      {"a/SENTINEL_REPORT_2027-03-31.md", path_not_allowed},
      {"out/a/07.csv", none},
      {"out/a/7.csv", path_not_allowed},
      {"out/a/b/07.csv", path_not_allowed},
      {"tmp/a/b", none},
      {"tmp", path_not_allowed},
      {".", path_not_allowed},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.path);
    EXPECT_EQ(judge_by(some, row.path), row.want);
    EXPECT_EQ(judge_by(nothing, row.path), path_not_allowed);
    ValueFacts reading{.cwd = kRoot, .effect = ToolEffect::reads};
    EXPECT_EQ(judge_path(row.path, compile_path_rules(nothing), reading), none);
  }
}

// A pattern of one name is none of the root itself.
TEST(JudgePath, NoWritablePatternNamesTheRoot) {
  const PathConfig any{.root = std::string(kRoot), .writable = {{"*", "**"}}};
  for (const std::string_view root :
       std::initializer_list<std::string_view>{".", "", "a/..", kRoot})
    EXPECT_NE(judge_by(any, root), Reason::none) << root;
  EXPECT_EQ(judge_by(any, "a"), Reason::none);
}

TEST(JudgePath, NamesThatWindowsReadsOtherwise) {
  using enum Reason;
  const PathConfig refused{.refuse_windows_names = true};
  const PathConfig allowed{.folds_case = true, .refuse_windows_names = false};
  for (const std::string_view path :
       {"NUL", "a/nul.txt", "Com1", "com\xc2\xb9.log", "LPT9.x", "aux .txt", "a./b", "a /b", "CON",
        "conin$", "clock$", "a.txt::$DATA", "a:b/c", "x/C:", "SECRET~1/a", "a|b", "a?",
        "prn.a.b"}) {
    SCOPED_TRACE(path);
    PathConfig config = refused;
    config.root = kRoot;
    EXPECT_EQ(judge_by(config, path), path_malformed);
    config.refuse_windows_names = {};
    // `a:` is a scheme to others as well.
    if (!path.starts_with("a:b") && !path.contains("::"))
      EXPECT_EQ(judge_by(config, path), none) << "not asked for";
    config.folds_case = true;
    EXPECT_EQ(judge_by(config, path), path_malformed) << "by default where case folds";
  }
  expect_rows({
      // As macOS spells names, where the file system takes both for one.
      {"decomposed, where case folds", allowed, "re\xcc\x81sume\xcc\x81.txt", none},
      {"decomposed, and out of the root", allowed, "re\xcc\x81/../../x", path_outside_root},
      {"no UTF-8, where case folds", allowed, "e\xcc\x81\xff", path_malformed},
      {"decomposed, where case does not fold", refused, "re\xcc\x81.txt", path_malformed},
      {"decomposed, and denied",
       {.deny_names = {"r\xc3\xa9*"}, .folds_case = true, .refuse_windows_names = false},
       "re\xcc\x81sume\xcc\x81.txt",
       path_not_allowed},
      {"a share", refused, "//srv/data/a", path_malformed},
      {"a share by backslashes", refused, "\\\\srv\\data\\a", path_malformed},
      {"not refused", allowed, "NUL", none},
      {"a longer word", refused, "console/com10/lpt/null", none},
      {"a device's name within", refused, "a.nul/xcon", none},
      {"an ordinary path", refused, "Program Files/a-b_(1).txt", none},
  });
}

TEST(JudgePath, FoldedNamesAreDeniedByWhatTheyFoldTo) {
  using enum Reason;
  const PathConfig fold{.extensions = {".md", ".Key"},
                        .refuse_hidden = true,
                        .allow = {"Docs", "secrets", "\xc3\x84"},
                        .deny = {"secrets", "\xc3\x84/x"},
                        .deny_names = {"*.key"},
                        .folds_case = true};
  expect_rows({
      {"as it is written", fold, "Docs/a.md", none},
      {"allowed by its letters alone", fold, "docs/a.md", path_not_allowed},
      {"extensions too", fold, "Docs/a.MD", path_extension_not_allowed},
      {"denied", fold, "secrets/a.md", path_not_allowed},
      {"denied in another case", fold, "SECRETS/a.md", path_not_allowed},
      {"denied with a long s", fold,
       "\xc5\xbf"
       "ecrets/a.md",
       path_not_allowed},
      {"denied with an invisible joiner", fold, "sec\xe2\x80\x8drets/a.md", path_not_allowed},
      {"denied outside of ASCII", fold, "\xc3\xa4/X/a.md", path_not_allowed},
      {"a name in another case", fold, "Docs/a.Key", path_not_allowed},
      {"hidden behind an invisible joiner", fold, "Docs/\xe2\x80\x8d.git/a.md", path_not_allowed},
      {"the root by its letters alone", fold, "/SRV/data/Docs/a.md", path_outside_root},
  });
  // Where case tells files apart, it tells names of the lists apart.
  EXPECT_EQ(judge_by({.root = std::string(kRoot), .deny = {"secrets"}}, "SECRETS/a"), none);
}

TEST(JudgePath, CannotBeMadeToCostMuch) {
  PathConfig config{.root = std::string(kRoot)};
  for (int i = 0; i < 1000; ++i)
    config.deny_names.push_back("name" + std::to_string(i));
  std::string path = "a";
  for (int i = 0; i < 400; ++i)
    path += "/a";
  EXPECT_EQ(judge_by(config, path), Reason::none);
  EXPECT_EQ(judge_by(config, path + path + path), Reason::argument_undecidable);
}

TEST(LeadsElsewhere, IsCertainOrNot) {
  const PathConfig plain{.root = std::string(kRoot), .refuse_hidden = true};
  const PathConfig fold{.root = std::string(kRoot), .folds_case = true};
  const PathConfig windows{.root = std::string(kRoot), .refuse_windows_names = true};
  const struct {
    std::string_view name;
    PathConfig config;
    std::string_view path;
    bool want;
  } rows[] = {
      {"outside", plain, "/etc/passwd", true},
      {"inside", plain, "a", false},
      {"inside and refused", plain, ".git", false},
      {"it may be decoded", plain, "/etc/%2e", false},
      {"it may be folded", plain, "/etc\\a", false},
      {"spelled in two ways", plain, "~/a", false},
      {"another case is another place", plain, "/SRV/data/a", true},
      {"another case is the same place", fold, "/SRV/Data/a", false},
      {"outside in any case", fold, "/ETC/a", true},
      {"a dot that is lost", windows, "/srv./data/a", false},
      {"nothing that is lost", windows, "/etc/a", true},
      {"through what the kernel links", plain, "/proc/self/root/srv/data/a", false},
      {"through an open file", plain, "/dev/fd/3/a", false},
      {"almost such a place", plain, "/process/a", true},
      {"back out of what may be a link", plain, "/etc/link/../a", false},
      {"over the network", plain, "//localhost/share/a", false},
      {"no root", {}, "/etc/a", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(leads_elsewhere(row.path, compile_path_rules(row.config), kRoot), row.want);
  }
  EXPECT_FALSE(leads_elsewhere("a", compile_path_rules(plain), ""));
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
    const bool denies = judge(with_file(row.path)) != Reason::none;
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
  const std::vector<Row> rows = read_rows(file, "path");
  EXPECT_GT(rows.size(), 10U);
  for (const Row& row : rows) {
    EXPECT_EQ(judge(row.path), Reason::none) << row.path;
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
