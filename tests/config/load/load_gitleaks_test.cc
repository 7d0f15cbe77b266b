// Files of rules in the format of gitleaks: what of them is taken, what is refused, and what a user
// is told that they do not do here.
#include "config/load/load_gitleaks.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/config_sources.h"
#include "config/load/load_config.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::string_view kMain =
    "version = 1\naudit.file = \"x\"\n[detector.house]\ngitleaks = \"rules.toml\"\n";

/// What is said about a file of rules, without the name of its folder.
std::string said_about(const Folder& folder, std::string_view rules) {
  folder.write("rules.toml", rules);
  std::string said = all_text(load_config(folder.write("c.toml", kMain)));
  const std::string path = folder.name("");
  for (std::size_t at = said.find(path); at != said.npos; at = said.find(path))
    said.erase(at, path.size());
  return said;
}

std::vector<GitleaksRule> rules_of(const Folder& folder, std::string_view rules) {
  EXPECT_EQ(said_about(folder, rules), "") << rules;
  return load_config(folder.name("c.toml")).config.detectors.at("house").rules;
}

TEST(LoadGitleaks, SaysWhereAndWhatIsWrong) {
  const Folder folder;
  const struct {
    std::string_view name, rules, said;
  } rows[] = {
      {"one rule", "[[rules]]\nid = \"a\"\nregex = 'acme_[a-z]{8}'\n", ""},
      {"all that is described",
       "title = \"t\"\ndescription = \"d\"\nminVersion = \"v8.25.0\"\n[extend]\nuseDefault = "
       "false\n[[rules]]\nid = \"a\"\ndescription = \"d\"\nregex = '(x)acme'\nsecretGroup = "
       "1\nkeywords = [\"acme\"]\nentropy = 3\ntags = [\"t\"]\n[[rules.allowlists]]\ndescription = "
       "\"d\"\ncondition = \"AND\"\nregexTarget = \"line\"\nregexes = ['x']\nstopwords = "
       "['y']\n[[allowlists]]\ntargetRules = [\"a\"]\nregexes = ['z']\n",
       ""},
      {"keys in small letters",
       "[[Rules]]\nID = \"a\"\nREGEX = '(acme)'\nsecretgroup = 1\n[Rules.allowList]\nstopWords = "
       "['y']\n",
       ""},
      {"no TOML", "[[rules]\n",
       "rules.toml:1:9: error: Error while parsing table header: expected ']'\n"},
      {"nothing in it", "title = \"t\"\n",
       "c.toml:4:12: error: \"gitleaks\" names a file without a rule to look for; write [[rules]] "
       "with id and regex into it\n"},
      {"no id", "[[rules]]\nregex = 'acme'\n", "rules.toml:1:1: error: a rule needs \"id\"\n"},
      {"an id that is not a name", "[[rules]]\nid = \"a b\"\nregex = 'acme'\n",
       "rules.toml:2:6: error: \"a b\" is not a name for a rule: 1 to 64 of A-Z a-z 0-9 . _ - are "
       "allowed\n"},
      {"two of one id",
       "[[rules]]\nid = \"a\"\nregex = 'acme'\n[[rules]]\nid = \"a\"\nregex = 'other'\n",
       "rules.toml:5:6: error: there are two rules \"a\"; give each an id of its own\n"},
      {"neither regex nor path", "[[rules]]\nid = \"a\"\n",
       "rules.toml:2:6: error: the rule \"a\" has no \"regex\"\n"},
      {"look-ahead", "[[rules]]\nid = \"a\"\nregex = 'acme(?=x)'\n",
       "rules.toml:3:9: error: \"regex\" is not a pattern that RE2 can use: \"invalid perl "
       "operator: "
       "(?=\"; gitleaks itself has no look-around either: write what is excepted as an "
       "allowlist\n"},
      {"look-behind", "[[rules]]\nid = \"a\"\nregex = '(?<!x)acme'\n",
       "rules.toml:3:9: error: \"regex\" is not a pattern that RE2 can use: \"invalid perl "
       "operator: "
       "(?<\"; gitleaks itself has no look-around either: write what is excepted as an "
       "allowlist\n"},
      {"an open bracket", "[[rules]]\nid = \"a\"\nregex = 'acme['\n",
       "rules.toml:3:9: error: \"regex\" is not a pattern that RE2 can use: \"missing ]: [\"\n"},
      {"a group that is not there", "[[rules]]\nid = \"a\"\nregex = '(acme)'\nsecretGroup = 2\n",
       "rules.toml:4:15: error: \"secretGroup\" is 2, and the regex of \"a\" has 1 groups\n"},
      {"a negative group", "[[rules]]\nid = \"a\"\nregex = '(acme)'\nsecretGroup = -1\n",
       "rules.toml:4:15: error: \"secretGroup\" is -1, and the regex of \"a\" has 1 groups\n"},
      {"entropy in words", "[[rules]]\nid = \"a\"\nregex = 'acme'\nentropy = \"high\"\n",
       "rules.toml:4:11: error: \"entropy\" of \"a\" must be a number from 0 to 32; it is in bits "
       "for each character\n"},
      {"one keyword without a list", "[[rules]]\nid = \"a\"\nregex = 'acme'\nkeywords = \"acme\"\n",
       "rules.toml:4:12: error: \"keywords\" must be an array, not a string\n"},
      {"an empty keyword", "[[rules]]\nid = \"a\"\nregex = 'acme'\nkeywords = [\"\"]\n",
       "rules.toml:4:13: error: \"keywords\" must hold 1 to 256 bytes each\n"},
      {"a slip", "[[rules]]\nid = \"a\"\nregex = 'acme'\nentropie = 3\n",
       "rules.toml:4:1: error: gitleaks 8 has no key \"entropie\" in [[rules]]; did you mean "
       "\"entropy\"?\n"},
      {"what gitleaks does not have", "[[rules]]\nid = \"a\"\nregex = 'acme'\nvalidate = 'x'\n",
       "rules.toml:4:1: error: gitleaks 8 has no key \"validate\" in [[rules]]; nothing of a rule "
       "is passed over: take it out\n"},
      {"the rules of gitleaks",
       "[extend]\nuseDefault = true\n[[rules]]\nid = \"a\"\nregex = 'acme'\n",
       "rules.toml:2:1: error: \"useDefault\" wants the rules of gitleaks itself, which are not "
       "here; write those rules into this file, or name their file in a [detector.NAME] of its "
       "own, "
       "and take this out\n"},
      {"rules of elsewhere",
       "[extend]\npath = \"more.toml\"\n[[rules]]\nid = \"a\"\nregex = 'acme'\n",
       "rules.toml:2:8: error: rules are not taken from the path of [extend]; write those rules "
       "into this file, or name their file in a [detector.NAME] of its own, and take this out\n"},
      {"rules beside others",
       "[[rules]]\nid = \"a\"\nregex = 'acme'\n[[rules.required]]\nid = \"b\"\n[[rules]]\nid = "
       "\"b\"\nregex = 'other'\n",
       "rules.toml:4:1: error: the rule \"a\" requires others beside what it finds; take "
       "\"required\" out and it finds more, or take the rule out\n"},
      {"a rule for others alone",
       "[[rules]]\nid = \"a\"\nregex = 'acme'\n[[rules]]\nid = \"b\"\nregex = 'b'\nskipReport = "
       "true\n",
       "rules.toml:5:6: warning: the rule \"b\" is left out: \"skipReport\" keeps it for rules "
       "that "
       "require it\n"},
      {"names of files",
       "[[rules]]\nid = \"a\"\nregex = 'acme'\n[[rules]]\nid = \"b\"\npath = '\\.p12$'\n",
       "rules.toml:6:8: warning: the rule \"b\" is left out: it finds names of files, and texts "
       "have none\n"},
      {"some files", "[[rules]]\nid = \"a\"\nregex = 'acme'\npath = '\\.php$'\n",
       "rules.toml:4:8: warning: \"path\" of the rule \"a\" is passed over: texts have no names of "
       "files, so it is looked for in all of them; leave it out of \"detectors\" where that finds "
       "too much\n"},
      {"files that are allowed",
       "[allowlist]\npaths = ['x']\n[[rules]]\nid = \"a\"\nregex = 'acme'\n",
       "rules.toml:2:10: warning: \"paths\" of an allowlist are passed over: texts have no names "
       "of "
       "files, so it lets nothing pass\n"},
      {"files or texts that are allowed",
       "[[allowlists]]\npaths = ['x']\ncommits = ['y']\nstopwords = ['z']\n[[rules]]\nid = "
       "\"a\"\nregex = 'acme'\n",
       "rules.toml:2:10: warning: \"paths\" of an allowlist are passed over: texts have no names "
       "of "
       "files, so it lets pass only what else it names\nrules.toml:3:12: warning: \"commits\" of "
       "an "
       "allowlist are passed over: texts have no commits, so it lets pass only what else it "
       "names\n"},
      {"an allowlist of nothing",
       "[[rules]]\nid = \"a\"\nregex = 'acme'\n[[rules.allowlists]]\ndescription = \"d\"\n",
       "rules.toml:4:1: error: an allowlist needs \"regexes\" or \"stopwords\"\n"},
      {"both ways to write it",
       "[allowlist]\nregexes = ['x']\n[[allowlists]]\nregexes = ['y']\n[[rules]]\nid = "
       "\"a\"\nregex "
       "= 'acme'\n",
       "rules.toml:1:2: error: \"allowlist\" and \"allowlists\" stand side by side; write it as "
       "one "
       "of [[allowlists]], too\n"},
      {"another condition",
       "[[allowlists]]\ncondition = \"xor\"\nregexes = ['y']\n[[rules]]\nid = \"a\"\nregex = "
       "'acme'\n",
       "rules.toml:2:13: error: \"condition\" must be \"AND\" or \"OR\"\n"},
      {"another target",
       "[[allowlists]]\nregexTarget = \"file\"\nregexes = ['y']\n[[rules]]\nid = \"a\"\nregex = "
       "'acme'\n",
       "rules.toml:2:15: error: \"regexTarget\" must be \"secret\", \"match\" or \"line\"\n"},
      {"a pattern of an allowlist",
       "[allowlist]\nregexes = ['(']\n[[rules]]\nid = \"a\"\nregex = 'acme'\n",
       "rules.toml:2:12: error: \"regexes\" is not a pattern that RE2 can use: \"missing ): (\"\n"},
      {"a rule that is not there",
       "[[allowlists]]\ntargetRules = [\"b\"]\nregexes = ['y']\n[[rules]]\nid = \"a\"\nregex = "
       "'acme'\n",
       "rules.toml:2:16: error: there is no rule \"b\"\n"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(said_about(folder, row.rules), row.said) << row.name;
}

TEST(LoadGitleaks, TakesRulesAsTheyAreWritten) {
  const Folder folder;
  const auto rules = rules_of(folder, R"(
[[rules]]
id = "first"
regex = '''(?<name>acme_[a-z]{8})[\[(?<x>]\Q(?<y>\E'''
keywords = ["ACME_", "other"]
entropy = 3.5
secretGroup = 1
[[rules.allowlists]]
stopwords = ["Example"]
[[rules]]
id = "second"
regex = "wile_[0-9]{4}"
[allowlist]
regexes = ["^x+$"]
)");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].regex, R"((?P<name>acme_[a-z]{8})[\[(?<x>]\Q(?<y>\E)");
  EXPECT_EQ(rules[0].keywords, (std::vector<std::string>{"acme_", "other"}));
  EXPECT_EQ(rules[0].entropy, 3.5);
  EXPECT_EQ(rules[0].secret_group, 1U);
  EXPECT_EQ(rules[0].allowlists, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(rules[1].allowlists, (std::vector<std::size_t>{1}));
  const auto allowlists =
      load_config(folder.name("c.toml")).config.detectors.at("house").allowlists;
  EXPECT_EQ(allowlists[0].stopwords, (std::vector<std::string>{"example"}));
  EXPECT_EQ(allowlists[1].regexes, (std::vector<std::string>{"^x+$"}));
}

TEST(LoadGitleaks, HasBounds) {
  const Folder folder;
  std::string many;
  for (int i = 0; i < 513; ++i)
    many += "[[rules]]\nid = \"r" + std::to_string(i) + "\"\nregex = 'acme'\n";
  std::string large;
  for (int i = 0; i < 40; ++i)
    large += ".{1000}";
  const struct {
    std::string rules, said;
  } rows[] = {
      {many, "rules.toml:1538:6: error: the files of gitleaks hold more than 512 rules together\n"},
      {"[[rules]]\nid = \"a\"\nregex = '" + std::string(2049, 'x') + "'\n",
       "rules.toml:3:9: error: \"regex\" is longer than 2048 bytes\n"},
      {"[[rules]]\nid = \"a\"\nregex = 'acme" + large + "'\n",
       "rules.toml:3:9: error: \"regex\" is not a pattern that RE2 can use: \"a pattern that is "
       "too "
       "large\"\n"},
      {"#" + std::string(std::size_t{1} << 20, 'x'),
       "c.toml:4:12: error: \"rules.toml\" is larger than 1 MiB\n"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(said_about(folder, row.rules), row.said);
}

// The file is a part of the configuration: of its digest, of what is watched, and of what the
// gateway keeps of what it loaded.
TEST(LoadGitleaks, BelongsToTheConfiguration) {
  const Folder folder;
  rules_of(folder, "[[rules]]\nid = \"a\"\nregex = 'acme_[a-z]{8}'\n");
  const LoadedConfig before = load_config(folder.name("c.toml"));
  EXPECT_EQ(before.config.files,
            (std::vector<std::string>{folder.name("c.toml"), folder.name("rules.toml")}));
  folder.write("rules.toml", "[[rules]]\nid = \"a\"\nregex = 'wile_[a-z]{8}'\n");
  EXPECT_NE(load_config(folder.name("c.toml")).config.digest, before.config.digest);
  const auto sources = decode_sources(encode_sources(*before.config.sources));
  ASSERT_TRUE(sources.has_value());
  const LoadedConfig again = load_config(*sources);
  EXPECT_EQ(all_text(again), "");
  EXPECT_EQ(again.config.digest, before.config.digest);
  EXPECT_EQ(again.config.files, before.config.files);
  EXPECT_EQ(again.config.detectors.at("house").rules.front().regex, "acme_[a-z]{8}");
}

TEST(LoadGitleaks, NamesAFileThatCannotBeRead) {
  const Folder folder;
  const std::string main = folder.write(
      "c.toml", "version = 1\naudit.file = \"x\"\n[detector.house]\ngitleaks = \"absent.toml\"\n");
  EXPECT_EQ(all_text(load_config(main)), main + ":4:12: error: cannot read \"" +
                                             folder.name("absent.toml") + "\": no such file\n");
  const LoadedConfig text = load_config_text(kMain, "/etc/b/c.toml");
  EXPECT_EQ(all_text(text),
            "/etc/b/c.toml:4:12: error: \"gitleaks\" needs a file that it stands in\n");
}

}  // namespace
}  // namespace bartizan
