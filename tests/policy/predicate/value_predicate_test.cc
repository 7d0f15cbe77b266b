#include "policy/predicate/value_predicate.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/check_arguments.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Reason;

ArgumentPredicate optional(std::string pointer, Predicate predicate) {
  return {.pointer = std::move(pointer), .predicate = std::move(predicate), .optional = true};
}

ArgumentPredicate required(std::string pointer, Predicate predicate) {
  return {.pointer = std::move(pointer), .predicate = std::move(predicate)};
}

/// What profiles of `files/*`, one for each list of predicates, make of those arguments.
Decision check(const std::vector<std::vector<ArgumentPredicate>>& profiles,
               std::string_view arguments) {
  Config config = sample_config();
  for (const auto& predicates : profiles) {
    ToolProfile profile{.pattern = "files/*"};
    profile.arguments = predicates;
    config.tools.push_back(std::move(profile));
  }
  const auto sample = sample_tool_call("files", "read_text", arguments);
  return check_arguments(ToolProfiles(config, sample_names()), config.servers, Unguarded::refuse,
                         sample->call);
}

struct Row {
  std::string_view name;
  Predicate predicate;
  std::string_view value;
  Reason want;
};

/// Each row as the only argument: with its reason, and with its pointer where it is refused.
void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string arguments = R"({"a":)" + std::string(row.value) + "}";
    const Decision decision = check({{required("/a", row.predicate)}}, arguments);
    EXPECT_EQ(decision.reason, row.want);
    EXPECT_EQ(decision.denies(), row.want != none);
    EXPECT_EQ(decision.pointer, row.want == none ? "" : "/a");
  }
}

TEST(NumberPredicate, IsARangeWithBothEnds) {
  const NumberPredicate lines{"1", "10000"};
  const NumberPredicate huge{"", "18446744073709551614"};
  const NumberPredicate tenth{"0.1", "0.3"};
  expect_rows({
      {"inside", lines, "50", none},
      {"the lower end", lines, "1", none},
      {"the upper end", lines, "10000", none},
      {"an end that is spelled otherwise", lines, "1.0e4", none},
      {"a fraction inside", lines, "1.5", none},
      {"below", lines, "0", argument_not_allowed},
      {"above", lines, "10001", argument_not_allowed},
      {"a hair below", lines, "0.99999999999999999999999999999999", argument_not_allowed},
      {"a hair above", lines, "10000.00000000000000000000000000001", argument_not_allowed},
      {"negative", lines, "-1", argument_not_allowed},
      {"a string of digits", lines, R"("50")", argument_wrong_type},
      {"null", lines, "null", argument_wrong_type},
      {"true", lines, "true", argument_wrong_type},
      {"an array", lines, "[50]", argument_wrong_type},
      {"an object", lines, R"({"b":50})", argument_wrong_type},
      {"beyond what a double tells apart", huge, "18446744073709551615", argument_not_allowed},
      {"the last that is allowed", huge, "18446744073709551614", none},
      {"no lower bound", huge, "-1e300", none},
      {"a decimal end", tenth, "0.1", none},
      {"another decimal end", tenth, "3e-1", none},
      {"almost a decimal end", tenth, "0.30000000000000004", argument_not_allowed},
      {"minus zero is zero", NumberPredicate{"0", ""}, "-0.0", none},
      {"any number", NumberPredicate{}, "-12.5", none},
      {"any number is not a string", NumberPredicate{}, R"("")", argument_wrong_type},
  });
}

TEST(OneOfPredicate, IsEqualityAsJsonHasIt) {
  const OneOfPredicate words{{R"("size")", R"("name")", R"("a\"b")"}};
  const OneOfPredicate mixed{{R"("3")", "3", "true", "0.5", "-20"}};
  expect_rows({
      {"the first", words, R"("name")", none},
      {"the second", words, R"("size")", none},
      {"escaped in the call", words, R"("n\u0061me")", none},
      {"escaped in both", words, R"("a\u0022b")", none},
      {"another", words, R"("date")", argument_not_allowed},
      {"almost", words, R"("names")", argument_not_allowed},
      {"a part", words, R"("nam")", argument_not_allowed},
      {"another case", words, R"("Name")", argument_not_allowed},
      {"a blank behind", words, R"("name ")", argument_not_allowed},
      {"empty", words, R"("")", argument_not_allowed},
      {"a number where there is none", words, "1", argument_wrong_type},
      {"a boolean where there is none", words, "true", argument_wrong_type},
      {"null", mixed, "null", argument_wrong_type},
      {"an array of one", words, R"(["name"])", argument_wrong_type},
      {"an object", words, R"({"b":"name"})", argument_wrong_type},
      {"a number", mixed, "3", none},
      {"a number that is spelled otherwise", mixed, "30.0e-1", none},
      {"a fraction", mixed, "5e-1", none},
      {"a negative number", mixed, "-2e1", none},
      {"almost a number", mixed, "3.0000000000000000000000001", argument_not_allowed},
      {"its opposite", mixed, "20", argument_not_allowed},
      {"a string of digits", mixed, R"("3")", none},
      {"a string that a number is", mixed, R"("0.5")", argument_not_allowed},
      {"true", mixed, "true", none},
      {"false", mixed, "false", argument_not_allowed},
      {"false alone", OneOfPredicate{{"false"}}, "false", none},
      {"the other alone", OneOfPredicate{{"false"}}, "true", argument_not_allowed},
      {"a word of it", mixed, R"("true")", argument_not_allowed},
  });
}

TEST(TextPredicate, HasALengthAndAPattern) {
  const TextPredicate short_text{2, 4, ""};
  const TextPredicate word{0, {}, "[a-z]+|x1"};
  const TextPredicate line{0, {}, "a.c"};
  expect_rows({
      {"the fewest", short_text, R"("ab")", none},
      {"the most", short_text, R"("abcd")", none},
      {"too few", short_text, R"("a")", argument_not_allowed},
      {"empty", short_text, R"("")", argument_not_allowed},
      {"too many", short_text, R"("abcde")", argument_not_allowed},
      {"characters, not bytes", short_text, R"("ääää")", none},
      {"characters, not UTF-16", short_text, R"("😀😀😀😀")", none},
      {"one character too many", short_text, R"("ääää😀")", argument_not_allowed},
      {"one character too few", short_text, R"("😀")", argument_not_allowed},
      {"characters, not escapes", short_text, R"("\u0061\u0062")", none},
      {"a number", short_text, "123", argument_wrong_type},
      {"null", short_text, "null", argument_wrong_type},
      {"an array", short_text, R"(["ab"])", argument_wrong_type},
      {"a match", word, R"("abc")", none},
      {"a match of the other branch", word, R"("x1")", none},
      {"a part in front", word, R"("abc1")", argument_not_allowed},
      {"a part behind", word, R"("1abc")", argument_not_allowed},
      {"a line behind", word, R"("abc\n")", argument_not_allowed},
      {"nothing", word, R"("")", argument_not_allowed},
      {"a dot is a line end", line, R"("a\nc")", none},
      {"a dot is not a line end where it is said", TextPredicate{.matches = "(?-s)a.c"},
       R"("a\nc")", argument_not_allowed},
      // `forbid` with this pattern was evaded by a line feed.
      {"a line feed at the end", TextPredicate{.matches = "systemctl restart.*"},
       R"("systemctl restart nginx\n")", none},
      {"a dot is any character", line, R"("a😀c")", none},
      {"a NUL", line, R"("a\u0000c")", none},
      {"length and pattern", TextPredicate{0, 2, "a*"}, R"("aaa")", argument_not_allowed},
      {"a pattern that does not compile", TextPredicate{0, {}, "("}, R"("(")",
       argument_undecidable},
      {"any text", TextPredicate{}, R"("")", none},
      {"any text is not a number", TextPredicate{}, "1", argument_wrong_type},
  });
}

TEST(TextPredicate, HasClassesOfCharacters) {
  using enum CharacterClass;
  const TextPredicate words{.classes = {letters, spaces}};
  const TextPredicate prose{.classes = {letters, digits, punctuation, symbols, spaces}};
  const TextPredicate page{.classes = {letters, tabs, line_ends}};
  const TextPredicate numbers{.max_length = 3, .matches = "[1-5]*", .classes = {digits}};
  expect_rows({
      {"letters and a blank", words, R"("two words")", none},
      {"letters of other scripts", words, R"("größe 数据 हिन्दी")", none},
      {"nothing", words, R"("")", none},
      {"a digit", words, R"("word2")", argument_not_allowed},
      {"punctuation", words, R"("a-b")", argument_not_allowed},
      {"a line end", words, R"("a\nb")", argument_not_allowed},
      {"prose", prose, R"("It costs 3 €, or $4 – “maybe” 😀.")", none},
      {"a tab", prose, R"("a\tb")", argument_not_allowed},
      {"a NUL", prose, R"("a\u0000")", argument_not_allowed},
      {"an escape character", prose, R"("\u001b[31m")", argument_not_allowed},
      {"what turns the text around", prose, R"("a\u202eb")", argument_not_allowed},
      {"what nobody sees", prose, R"("a\u200bb")", argument_not_allowed},
      {"a tag", prose, R"("a\udb40\udc41")", argument_not_allowed},
      {"private use", prose, R"("\ue000")", argument_not_allowed},
      {"a line separator is not blank", prose, R"("a\u2028b")", argument_not_allowed},
      {"lines and columns", page, R"("a\tb\r\nc")", none},
      {"and no blanks", page, R"("a b")", argument_not_allowed},
      {"digits of other scripts", TextPredicate{.classes = {digits}}, R"("1٣")", none},
      {"all that is asked", numbers, R"("123")", none},
      {"its pattern", numbers, R"("789")", argument_not_allowed},
      {"its length", numbers, R"("1234")", argument_not_allowed},
      {"no text", words, "1", argument_wrong_type},
  });
}

// `FixedPredicate` is asked of what was forced; where nothing could be, the call is refused.
TEST(FixedPredicate, IsEqualToItsValue) {
  const FixedPredicate ten{"10"};
  expect_rows({{"the value", ten, "10", none},
               {"in another spelling", ten, "1e1", none},
               {"another", ten, "11", argument_not_allowed},
               {"another type", ten, R"("10")", argument_wrong_type}});
  EXPECT_EQ(check({{required("/o/a", ten)}}, R"({"o":"x"})").reason, argument_wrong_type);
  EXPECT_EQ(check({{required("/a", ten)}}, R"({"a":10,"b":1})").pointer, "/b");
}

TEST(AbsentPredicate, WantsThatNothingIsSelected) {
  const auto a = required("/a", AbsentPredicate());
  const auto deep = required("/o/a", AbsentPredicate());
  const auto all = required("/l/*", AbsentPredicate());
  const auto number = optional("/n", NumberPredicate{});
  const struct {
    std::string_view name;
    std::vector<ArgumentPredicate> predicates;
    std::string_view arguments;
    Reason want;
    std::string_view pointer;
  } rows[] = {
      {"not there", {a}, R"({"b":1})", none, ""},
      {"no arguments", {a}, "{}", none, ""},
      {"no arguments at all", {a}, "", none, ""},
      {"there", {a}, R"({"a":1})", argument_not_absent, "/a"},
      {"null is there", {a}, R"({"a":null})", argument_not_absent, "/a"},
      {"an empty object is there", {a}, R"({"a":{}})", argument_not_absent, "/a"},
      {"an empty array is there", {a}, R"({"a":[]})", argument_not_absent, "/a"},
      {"another case is another", {a}, R"({"A":1})", none, ""},
      {"escaped", {a}, R"({"\u0061":1})", argument_not_absent, "/a"},
      {"not there below", {deep}, R"({"o":{"b":1}})", none, ""},
      {"there below", {deep}, R"({"o":{"a":1}})", argument_not_absent, "/o/a"},
      {"what it is below is missing", {deep}, "{}", none, ""},
      {"another shape on the way", {deep}, R"({"o":"a"})", argument_wrong_type, "/o"},
      {"no elements", {all}, R"({"l":[]})", none, ""},
      {"an element", {all}, R"({"l":[1]})", argument_not_absent, "/l/0"},
      {"elements of no array", {all}, R"({"l":{"a":1}})", argument_wrong_type, "/l"},
      {"alone it guards nothing", {a}, R"({"b":{"c":[1,null]}})", none, ""},
      {"beside a predicate all is guarded",
       {a, number},
       R"({"n":1,"b":2})",
       argument_unguarded,
       "/b"},
      {"beside a predicate that selects nothing",
       {a, number},
       R"({"b":2})",
       argument_unguarded,
       "/b"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Decision decision = check({row.predicates}, row.arguments);
    EXPECT_EQ(decision.reason, row.want);
    EXPECT_EQ(decision.denies(), row.want != none);
    EXPECT_EQ(decision.pointer, row.pointer);
  }
}

TEST(ValuePredicates, HoldTogether) {
  const auto least = optional("/n", NumberPredicate{"1", ""});
  const auto most = optional("/n", NumberPredicate{"", "9"});
  const auto needed = required("/n", NumberPredicate{"", "9"});
  const auto even = optional("/n", OneOfPredicate{{"2", "4", R"("x")"}});
  const auto gone = required("/n", AbsentPredicate());
  const auto words = optional("/w/*", TextPredicate{1, 3, ""});
  const auto docs = required("/p", PathPredicate{"docs"});
  using Profiles = std::vector<std::vector<ArgumentPredicate>>;
  const struct {
    std::string_view name;
    Profiles profiles;
    std::string_view arguments;
    Reason want;
    std::string_view pointer;
  } rows[] = {
      {"both", {{least}, {most}}, R"({"n":5})", none, ""},
      {"not the first", {{least}, {most}}, R"({"n":0})", argument_not_allowed, "/n"},
      {"not the second", {{least}, {most}}, R"({"n":10})", argument_not_allowed, "/n"},
      {"another kind", {{least}, {even}}, R"({"n":4})", none, ""},
      {"not the other kind", {{least}, {even}}, R"({"n":5})", argument_not_allowed, "/n"},
      {"a type of one only", {{least}, {even}}, R"({"n":"x"})", argument_wrong_type, "/n"},
      {"missing", {{least}, {most}}, "{}", none, ""},
      {"missing where one needs it", {{least}, {needed}}, "{}", argument_missing, "/n"},
      {"absent and optional", {{gone}, {most}}, "{}", none, ""},
      {"absent, and there", {{gone}, {most}}, R"({"n":5})", argument_not_absent, "/n"},
      {"absent, and needed", {{gone}, {needed}}, "{}", argument_missing, "/n"},
      {"absent, needed and there", {{gone}, {needed}}, R"({"n":5})", argument_not_absent, "/n"},
      {"every element", {{words}}, R"({"w":["a","bc"]})", none, ""},
      {"one element", {{words}}, R"({"w":["a","","b"]})", argument_not_allowed, "/w/1"},
      {"one of another type", {{words}}, R"({"w":["a",1]})", argument_wrong_type, "/w/1"},
      {"no array", {{words}}, R"({"w":"a"})", argument_wrong_type, "/w"},
      {"an array of none", {{words}}, R"({"w":[]})", none, ""},
      {"kinds side by side", {{docs, words, most}}, R"({"p":"a","w":["x"],"n":1})", none, ""},
      {"what none of them names",
       {{docs, words, most}},
       R"({"p":"a","m":1})",
       argument_unguarded,
       "/m"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Decision decision = check(row.profiles, row.arguments);
    EXPECT_EQ(decision.reason, row.want);
    EXPECT_EQ(decision.denies(), row.want != none);
    EXPECT_EQ(decision.pointer, row.pointer);
  }
}

TEST(UrlPredicate, LetsPassWhatItsFormNames) {
  const UrlPredicate pages{.form = {.hosts = {"*.example.com", "10.0.0.7"}, .ports = {443, 8443}}};
  UrlPredicate own = pages;
  own.form.allow_private = true;
  const UrlPredicate flawed{.form = {.hosts = {"*.EXAMPLE.com"}}};
  expect_rows({
      {"a page", pages, R"("https://api.example.com/a?b=c")", none},
      {"another port of the form", pages, R"("https://api.example.com:8443/")", none},
      {"escaped", pages, R"("https:\u002f\/api.example.com\/")", none},
      {"another port", pages, R"("https://api.example.com:444/")", url_not_allowed},
      {"another scheme", pages, R"("http://api.example.com/")", url_not_allowed},
      {"another host", pages, R"("https://example.com/")", url_not_allowed},
      {"a host that ends alike", pages, R"("https://api.badexample.com/")", url_not_allowed},
      {"credentials", pages, R"("https://ann:pw@api.example.com/")", url_not_allowed},
      {"an address of a private network", pages, R"("https://10.0.0.7/")", url_private},
      {"the same where they are allowed", own, R"("https://10.0.0.7/")", none},
      {"another one", own, R"("https://10.0.0.8/")", url_not_allowed},
      {"metadata", own, R"("https://169.254.169.254/")", url_private},
      {"an address in another spelling", own, R"("https://0xa.7/")", url_malformed},
      {"a backslash", pages, R"("https://api.example.com\\@evil.example/")", url_malformed},
      {"no URL", pages, R"("api.example.com")", url_malformed},
      {"empty", pages, R"("")", url_malformed},
      {"a number", pages, "3", argument_wrong_type},
      {"a list", pages, R"(["https://api.example.com/"])", argument_wrong_type},
      {"a pattern that is none", flawed, R"("https://a.example.com/")", url_not_allowed},
      {"no form", UrlPredicate(), R"("https://a.example.com/")", url_not_allowed},
  });
}

TEST(SqlPredicate, LetsPassWhatItsFormNames) {
  const SqlPredicate users{.form = {.dialect = SqlDialect::sqlite,
                                    .tables = {"users", "processes"},
                                    .deny_tables = {"shadow"},
                                    .begins_with_letter = true}};
  SqlPredicate open = users;
  open.form.tables = {"**"};
  open.form.functions = std::vector<std::string>{"**"};
  SqlPredicate flawed = open;
  flawed.form.deny_tables = {"a..b"};
  expect_rows({
      {"a query", users, R"("SELECT name FROM users WHERE uid = 0")", none},
      {"escaped", users, R"("SELECT\u0020name\nFROM \"Users\"")", none},
      {"a plain function", users, R"("SELECT count(*) FROM processes")", none},
      {"another function", users, R"("SELECT load_extension('x') ")", sql_not_allowed},
      {"another table", users, R"("SELECT * FROM groups")", sql_not_allowed},
      {"another table of all", open, R"("SELECT * FROM groups")", none},
      {"one that is denied", open, R"("SELECT * FROM main.[Shadow]")", sql_not_allowed},
      {"a risky function of all", open, R"("SELECT readfile('x') ")", sql_not_allowed},
      {"another statement", users, R"("DELETE FROM users")", sql_not_allowed},
      {"a comment", users, R"("SELECT 1 -- x")", sql_not_allowed},
      {"a command", users, R"(".tables")", sql_malformed},
      {"a flag", users, R"("--config_path=x")", sql_malformed},
      {"two statements", users, R"("SELECT 1; SELECT 2")", sql_malformed},
      {"nothing", users, R"("")", sql_malformed},
      {"a number", users, "3", argument_wrong_type},
      {"a list", users, R"(["SELECT 1"])", argument_wrong_type},
      {"a denial that is none", flawed, R"("SELECT * FROM groups")", sql_not_allowed},
      {"no form", SqlPredicate(), R"("SELECT * FROM users")", sql_not_allowed},
  });
}

// A list of statements costs no more than a bound, whatever the lists of the form.
TEST(SqlPredicate, CannotBeMadeToCostMuch) {
  SqlPredicate long_form{.form = {.dialect = SqlDialect::sqlite}};
  for (int i = 0; i < 1000; ++i)
    long_form.form.tables.push_back("t" + std::to_string(i));
  std::string statement = "\"SELECT 1 FROM t999";
  for (int i = 0; i < 100; ++i)
    statement += ",t999";
  statement += '"';
  const auto judge = [&](int count) {
    std::string statements = statement;
    for (int i = 1; i < count; ++i)
      statements += "," + statement;
    return check({{required("/a/*", long_form)}}, R"({"a":[)" + statements + "]}").reason;
  };
  EXPECT_EQ(judge(4), none);
  EXPECT_EQ(judge(6), argument_undecidable);
}

TEST(CommandPredicate, LetsPassTextsAndListsOfItsForm) {
  const CommandPredicate build{
      .name = "build",
      .form = {.programs = {"git", "ls"}, .arguments = {{"git", {"log|status", "-n", R"(\d+)"}}}}};
  CommandPredicate branch = build;
  branch.form.arguments_of = "ls";
  expect_rows({
      {"a text", build, R"("git log -n '20'")", none},
      {"a list", build, R"(["git","log","-n","20"])", none},
      {"escaped", build, R"("\u0067it log")", none},
      {"another program", build, R"("cat /etc/passwd")", command_not_allowed},
      {"another program of a list", build, R"(["cat","/etc/passwd"])", command_not_allowed},
      {"another argument", build, R"("git push")", command_not_allowed},
      {"syntax", build, R"("git log | ls")", command_not_allowed},
      {"another account", build, R"("sudo git log")", command_not_allowed},
      {"a second line", build, R"("git log\nls")", command_not_allowed},
      {"an open quote", build, R"("git 'log")", command_malformed},
      {"an empty text", build, R"("")", command_malformed},
      {"an empty list", build, "[]", command_malformed},
      {"the end of everything", build, R"("r\"m\" -fr //")", command_blocked},
      {"the same as a list", build, R"(["rm","-fr","/"])", command_blocked},
      {"a number", build, "3", argument_wrong_type},
      {"an object", build, R"({"a":"ls"})", argument_wrong_type},
      {"a list with a number", build, R"(["ls",3])", argument_wrong_type},
      {"a list in a list", build, R"(["ls",["x"]])", argument_wrong_type},
      {"an argument", branch, R"("main")", none},
      {"several", branch, R"(["main","dev"])", none},
      {"an option", branch, R"("--color")", command_not_allowed},
      {"more than a word", branch, R"("main;id")", command_not_allowed},
      {"no form", CommandPredicate(), R"("ls")", command_not_allowed},
  });
}

TEST(CommandPredicate, JudgesAnArrayWithAllThatIsInIt) {
  const CommandPredicate build{.name = "build", .form = {.programs = {"ls"}}};
  EXPECT_EQ(check({{required("/c", build)}}, R"({"c":["ls","a"]})").reason, none);
  EXPECT_EQ(check({{required("/c", build)}}, R"({"c":["ls"],"d":["x"]})").pointer, "/d/0");
  // Elements of which each is a command of its own.
  EXPECT_EQ(check({{required("/c/*", build)}}, R"({"c":["ls","a"]})").pointer, "/c/1");
  EXPECT_EQ(check({{required("/c/*", build)}}, R"({"c":["ls a","ls"]})").reason, none);
}

// Patterns are bounded for a whole call: a text that is cut into elements costs as much.
TEST(TextPredicate, CannotBeMadeToCostMuch) {
  const TextPredicate wide{0, {}, "[a-y]{0,100}|b*"};
  EXPECT_EQ(check({{required("/a", wide)}}, R"({"a":"bbb"})").reason, none);
  const std::string text(2'000'000, 'b');
  EXPECT_EQ(check({{required("/a", wide)}}, R"({"a":")" + text + "\"}").reason,
            argument_undecidable);
  std::string pieces;
  for (int i = 0; i < 20'000; ++i)
    pieces += (i == 0 ? "\"" : ",\"") + std::string(100, 'b') + "\"";
  const Decision decision = check({{required("/a/*", wide)}}, R"({"a":[)" + pieces + "]}");
  EXPECT_EQ(decision.reason, argument_undecidable);
  EXPECT_TRUE(decision.pointer.starts_with("/a/"));
  const TextPredicate bounded{0, 100, wide.matches};
  EXPECT_EQ(check({{required("/a", bounded)}}, R"({"a":")" + text + "\"}").reason,
            argument_not_allowed);
}

}  // namespace
}  // namespace bartizan
