#include "schemas/regex/ecma_pattern.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>

namespace bartizan {
namespace {

struct Row {
  std::string pattern;
  std::vector<std::string> matching, others;
};

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const auto translated = translate_ecma_pattern(row.pattern);
    ASSERT_TRUE(translated.has_value()) << row.pattern << ": " << translated.error();
    const RE2 compiled(*translated, RE2::Quiet);
    ASSERT_TRUE(compiled.ok()) << row.pattern << " as " << *translated << ": " << compiled.error();
    for (const std::string& text : row.matching)
      EXPECT_TRUE(RE2::PartialMatch(text, compiled)) << row.pattern << " and " << text;
    for (const std::string& text : row.others)
      EXPECT_FALSE(RE2::PartialMatch(text, compiled)) << row.pattern << " and " << text;
  }
}

TEST(EcmaPatternTest, MatchesWhatEcmaScriptMatches) {
  expect_rows({
      {"", {"", "a"}, {}},
      {"b", {"b", "abc"}, {"", "a", "B"}},
      {"^a$", {"a"}, {"a\n", "\na", "ab", "b\na\nb"}},
      {"a|^b|c$", {"xa", "b", "c"}, {"xb", "cx"}},
      {"a.c", {"abc", "aéc", "a😀c", "a\u0085c"}, {"a\nc", "a\rc", "a\u2028c", "a\u2029c", "ac"}},
      {"^\\d$", {"1"}, {"٣", "a"}},
      {"^\\D$", {"a", "٣"}, {"1"}},
      {"^\\w$", {"a", "Z", "0", "_"}, {"é", "ſ", "\u212a", "-"}},
      {"^\\W$", {"é", "ſ", "-"}, {"_"}},
      {"\\bfoo\\b", {"a foo b", "éfooé"}, {"afoo", "foo_"}},
      {"o\\Bo", {"foo"}, {"o o"}},
      {"\\B", {"", "aa", "é"}, {"a", "aéa"}},
      {"^(?:a|b)+$", {"ab"}, {"c"}},
      {"^(?<name>a)(b)$", {"ab"}, {"a"}},
      {"^(?<\\u0061$\u00e9>a)$", {"a"}, {"b"}},
      {"^(?:)$", {""}, {"a"}},
      {"^(|a)$", {"", "a"}, {"b"}},
      {"^\\cJ\\cj$", {"\n\n"}, {"JJ"}},
      {"^\\t\\n\\v\\f\\r$", {"\t\n\v\f\r"}, {"tnvfr"}},
      {std::string("^\\0$"), {std::string(1, '\0')}, {"0", ""}},
      {"^\\x41\\u0041\\u{41}\\u{0000041}$", {"AAAA"}, {"x41"}},
      {"^\\u{1F600}$", {"😀"}, {"u"}},
      {"^\\uD83D\\uDE00$", {"😀"}, {""}},
      {"^\\ud83d$|^\\ude00$|^\\u{d83d}\\u{de00}$", {}, {"😀", "\ufffd", ""}},
      {"^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", {"^$\\.*+?()[]{}|/"}, {"a"}},
      {"^/&~ \"'<>,;:=!#%@`-_$", {"/&~ \"'<>,;:=!#%@`-_"}, {"a"}},
  });
}

TEST(EcmaPatternTest, MatchesClasses) {
  expect_rows({
      {"^\\s$",
       {" ", "\t", "\v", "\u00a0", "\u3000", "\ufeff", "\u2028"},
       {"a", "\u200b", "\u0085"}},
      {"^\\S$", {"a", "\u200b", "\u180e"}, {" ", "\u00a0", "\ufeff", "\u2003"}},
      {"^[\\s\\d]$", {" ", "1", "\u00a0"}, {"a"}},
      {"^[^\\s]$", {"a"}, {" ", "\u00a0"}},
      {"^[^\\S]$", {" ", "\u00a0"}, {"a"}},
      {"^[\\S]$", {"a", "é"}, {" ", "\u00a0"}},
      {"^[\\s\\S]$", {"a", "\n", "😀"}, {""}},
      {"^[^\\s\\S]$", {}, {"a", "\n", ""}},
      {"^[\\d\\D]$", {"a", "\n"}, {""}},
      {"^[^\\W]$", {"a"}, {"é"}},
      {"^[]$", {}, {"", "a"}},
      {"^[^]$", {"a", "\n", "😀"}, {""}},
      {"^[^a]$", {"b", "\n", "😀"}, {"a", ""}},
      {"^[a-c😀-😂]$", {"b", "😁"}, {"d", "-"}},
      {"^[a-]$|^[-b]$", {"a", "-", "b"}, {"c"}},
      {"^[+--]$", {"+", ",", "-"}, {"."}},
      {"^[a-c-e]$", {"b", "-", "e"}, {"d"}},
      {"^[\\-\\]\\\\^]$", {"-", "]", "\\", "^"}, {"["}},
      {"^[[]$", {"["}, {"a"}},
      {"^[[:alpha:]", {"["}, {"b"}},
      {"^[a&&b]$", {"a", "&", "b"}, {"c"}},
      {"^[\\b]$", {"\b"}, {"b"}},
      {"^[.$|()*+?{}]$", {".", "$", "|", "{"}, {"a"}},
      {"^[\\0-\\x1f]$", {"\n", std::string(1, '\0')}, {" ", "0"}},
      {"^[\\u0000-\\u{10ffff}]$", {"a", "😀"}, {""}},
      {"^[^\\ud800-\\udfff]$", {"a", "😀"}, {""}},
      {"^[\\cA-\\cC]$", {"\x02"}, {"B"}},
  });
}

TEST(EcmaPatternTest, MatchesProperties) {
  expect_rows({
      {"^\\p{Letter}$", {"a", "é"}, {"1"}},
      {"^\\p{L}\\P{L}$", {"a1"}, {"1a", "aa"}},
      {"^\\p{General_Category=Uppercase_Letter}\\p{gc=Lu}$", {"AB"}, {"aB"}},
      {"^[\\p{Lu}\\p{Nd}]$", {"A", "1", "٣"}, {"a"}},
      {"^[^\\P{Lu}]$", {"A"}, {"a", "1"}},
      {"^\\p{LC}$", {"a", "A", "ǅ"}, {"ª", "1"}},
      {"^\\p{Cn}$", {"\u0378"}, {"a", "\ue000"}},
      {"^\\p{C}$", {"\u0378", "\n", "\ue000"}, {"a"}},
      {"^\\p{Script=Greek}\\p{sc=Grek}$", {"αβ"}, {"a", "α"}},
      {"^\\p{Script_Extensions=Deva}$", {"\u0964", "अ"}, {"a"}},
      {"^\\p{Script=Devanagari}$", {"अ"}, {"\u0964"}},
      {"^\\p{Emoji_Presentation}$", {"😀"}, {"1", "a"}},
      {"^\\p{Emoji}$", {"😀", "1"}, {"a"}},
      {"^\\p{Combining_Mark}\\p{cntrl}\\p{sc=Qaai}\\p{space}$", {"\u0301\n\u0301 "}, {"aaaa"}},
      {"^\\p{Alphabetic}\\p{Alpha}$", {"aé"}, {"a1"}},
      {"^\\p{White_Space}$", {" ", "\u0085"}, {"a", "\ufeff"}},
      {"^\\P{ASCII}\\p{ASCII}\\p{Any}$", {"éaé"}, {"aaa"}},
      {"^\\P{Any}$", {}, {"a", ""}},
      {"^\\p{Assigned}\\P{Assigned}$", {"a\u0378"}, {"aa"}},
  });
}

TEST(EcmaPatternTest, CountsRepetitions) {
  const auto times = [](int n) { return std::string(static_cast<std::size_t>(n), 'a'); };
  expect_rows({
      {"^a*?b+?c??$", {"b", "aabbc"}, {"a", "c"}},
      {"^a{2,3}$", {"aa", "aaa"}, {"a", "aaaa"}},
      {"^a{2,}?$", {"aa", "aaaaa"}, {"a"}},
      {"^a{2}b{0}c{0,0}$", {"aa"}, {"a", "aab", "aac"}},
      {"^(?:ab){2}$", {"abab"}, {"ab", "abb"}},
      {"^a{1000}$", {times(1000)}, {times(999), times(1001)}},
      {"^a{1001}$", {times(1001)}, {times(1000), times(1002)}},
      {"^a{0,2500}$", {"", times(2500)}, {times(2501)}},
      {"^a{1500,2500}$", {times(1500), times(2500)}, {times(1499), times(2501)}},
      {"^a{1500,}$", {times(1500), times(3000)}, {times(1499)}},
      {"^(?:a{2000}){2}$", {times(4000)}, {times(3999), times(4001), times(2000)}},
      {"^(?:a{10,60}){20,60}$", {times(200), times(3600)}, {times(199), times(3601)}},
      {"^(?:(?:a{10}){10}){11,}$", {times(1100), times(1200)}, {times(1000), times(1101)}},
      {"^(?:(?:a{10}b?){40}){3}$", {times(1200)}, {times(1199), times(1201)}},
  });
}

/// What is an error with the flag `u`, and means one thing only without it.
TEST(EcmaPatternTest, TakesWhatAnnexBLeavesNoDoubtOf) {
  const std::vector<Row> rows = {
      {"^\\-\\@\\_\\\"\\'\\ \\&\\#\\é$", {"-@_\"' &#é"}, {"a"}},
      {"^[\\_\\@\\é]$", {"_", "@", "é"}, {"a"}},
      {"^a{$", {"a{"}, {"a"}},
      {"^a{b}$", {"a{b}"}, {"ab"}},
      {"^{,3}$", {"{,3}"}, {"", "3"}},
      {"^a{,3}$", {"a{,3}"}, {"", "aaa"}},
      {"^a{ 1}$", {"a{ 1}"}, {"a"}},
      {"^}]$", {"}]"}, {"]"}},
      {"^${x}$", {}, {"${x}"}},
      {"^\\${x}$", {"${x}"}, {"x"}},
      {"^[\\w-.]$", {"a", "-", "."}, {"+"}},
      {"^[\\w-\\s]$", {"a", "-", " "}, {"+"}},
      {"^[+-\\d]$", {"+", "-", "1"}, {",", "."}},
  };
  expect_rows(rows);
  for (const Row& row : rows)
    EXPECT_FALSE(is_ecma_pattern(row.pattern)) << row.pattern;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += text;
  return all;
}

TEST(EcmaPatternTest, NamesWhatItCannotTranslate) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"(?=a)", "look-around"},
      {"(?!a)", "look-around"},
      {"(?<=a)", "look-around"},
      {"(?<!a)", "look-around"},
      {"^(?=(a+))\\1b", "look-around"},
      {"(a)\\1", "a back-reference"},
      {"\\1(a)", "a back-reference"},
      {"(?<n>a)\\k<n>", "a back-reference"},
      {"\\k<n>(?<n>a)", "a back-reference"},
      {"(?i:a)", "modifiers"},
      {"(?s-im:a)", "modifiers"},
      {"(a{1,1000}){1,1000}", "a pattern that is too large"},
      {"a{5002}", "a pattern that is too large"},
      {"a{99999999999999999999}", "a pattern that is too large"},
      {"\\p{L}{1,65535}", "a pattern that is too large"},
      {"(?:(?:(?:a{10}){10}){10}){10}", "a pattern that is too large"},
      {repeated("a{0,1000}", 10'000), "a pattern that is too large"},
      {repeated("\\p{Alphabetic}", 1000), "a pattern that is too large"},
      {"[" + repeated("\\p{Alphabetic}", 1000) + "]", "a pattern that is too large"},
      {repeated("(", 1000) + repeated(")", 1000), "a pattern that is too large"},
      {repeated("a", 300'000), "a pattern that is too large"},
  };
  for (const auto& [pattern, why] : rows) {
    const std::string shown = pattern.substr(0, 40);
    const auto translated = translate_ecma_pattern(pattern);
    ASSERT_FALSE(translated.has_value()) << shown;
    EXPECT_EQ(translated.error(), why) << shown;
    EXPECT_TRUE(is_ecma_pattern(pattern)) << shown;
  }
}

TEST(EcmaPatternTest, NamesWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"\\", "a back-slash at the end"},
      {"[\\", "a back-slash at the end"},
      {"[a", "a class does not end"},
      {"[", "a class does not end"},
      {"[a-", "a class does not end"},
      {"[b-a]", "a range from more to less"},
      {"[a--]", "a range from more to less"},
      {"(", "a group does not end"},
      {"(?=(a)", "a group does not end"},
      {"^(abc]", "a group does not end"},
      {")", "the end of no group"},
      {"a)b(", "the end of no group"},
      {"*", "a repetition of nothing"},
      {"|+", "a repetition of nothing"},
      {"(?)", "a group of a kind that there is not"},
      {"(*a)", "a repetition of nothing"},
      {"a**", "a repetition of nothing"},
      {"a???", "a repetition of nothing"},
      {"a{2}{3}", "a repetition of nothing"},
      {"{2}", "a repetition of nothing"},
      {"^*", "a repetition of nothing"},
      {"$+", "a repetition of nothing"},
      {"\\b?", "a repetition of nothing"},
      {"(?<=a)*", "a repetition of nothing"},
      {"a{3,2}", "a repetition from more to less"},
      {"(?P<n>a)", "a group of a kind that there is not"},
      {"(?i)a", "a group of a kind that there is not"},
      {"(?ii:a)", "a group of a kind that there is not"},
      {"(?>a)", "a group of a kind that there is not"},
      {"(?#a)", "a group of a kind that there is not"},
      {"(?<>a)", "a group's name that is none"},
      {"(?<1>a)", "a group's name that is none"},
      {"(?<n", "a group's name that is none"},
      {"(?<n>a)(?<n>b)", "two groups of one name"},
      {"\\1", "a back-reference to no group"},
      {"(a)\\2", "a back-reference to no group"},
      {"(?:a)\\1", "a back-reference to no group"},
      {"(?<n>a)\\k<m>", "a back-reference to no group"},
      {"\\k", "an escape that is none"},
      {"\\a", "an escape that is none"},
      {"\\A", "an escape that is none"},
      {"a\\Z", "an escape that is none"},
      {"\\Qa\\E", "an escape that is none"},
      {"[\\B]", "an escape that is none"},
      {"[\\1]", "an octal escape"},
      {"\\01", "an octal escape"},
      {"\\c1", "a control escape without a letter"},
      {"\\x1g", "an escape with too few digits"},
      {"\\u12", "an escape that is not a character"},
      {"\\u{110000}", "an escape that is not a character"},
      {"\\u{}", "an escape that is not a character"},
      {"\\u{41", "an escape that is not a character"},
      {"\\p", "a property without a name"},
      {"\\pL", "a property without a name"},
      {"\\p{L", "a property without a name"},
      {"\\p{letter}", "a Unicode property that there is not"},
      {"\\p{Greek}", "a Unicode property that there is not"},
      {"\\p{Script=greek}", "a Unicode property that there is not"},
      {"\\p{Script=Hans}", "a Unicode property that there is not"},
      {"\\p{^L}", "a Unicode property that there is not"},
      {"\\p{Block=Latin}", "a Unicode property that there is not"},
      {"\\p{RGI_Emoji}", "a Unicode property that there is not"},
      {"\xff", "not UTF-8"},
      {"[\xc3]", "not UTF-8"},
      {"\\\xed\xa0\x80", "not UTF-8"},
  };
  for (const auto& [pattern, why] : rows) {
    const auto translated = translate_ecma_pattern(pattern);
    ASSERT_FALSE(translated.has_value()) << pattern << " as " << *translated;
    EXPECT_EQ(translated.error(), why) << pattern;
    EXPECT_FALSE(is_ecma_pattern(pattern)) << pattern;
  }
}

/// Whatever the bytes are, there is an answer; and what was translated, RE2 takes.
TEST(EcmaPatternTest, AnswersToAnyBytes) {
  constexpr std::string_view kPieces[] = {
      "\\",  "(",     ")",     "[",      "]",          "{",    "}",       "^",    "$",  "|",
      "?",   "*",     "+",     ".",      "-",          ",",    ":",       "<",    ">",  "=",
      "!",   "0",     "1",     "9",      "a",          "b",    "B",       "c",    "d",  "k",
      "p",   "P",     "s",     "S",      "u",          "w",    "x",       "é",    "😀", "(?<n>",
      "(?:", "{1,9}", "{900}", "\\p{L}", "\\p{Emoji}", "\\u{", "\\ud83d", "\xff", " "};
  std::mt19937 random(20261122);
  const auto pick = [&random](std::size_t count) { return random() % count; };
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(4 << 20);
  int translated_count = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::string pattern;
    for (std::size_t left = pick(12); left > 0; --left) {
      pattern += pick(20) == 0 ? std::string(1, static_cast<char>(pick(256)))
                               : std::string(kPieces[pick(std::size(kPieces))]);
    }
    const auto translated = translate_ecma_pattern(pattern);
    if (!translated.has_value()) {
      EXPECT_FALSE(translated.error().empty());
      continue;
    }
    ++translated_count;
    const RE2 compiled(*translated, options);
    EXPECT_TRUE(compiled.ok() || compiled.error_code() == RE2::ErrorPatternTooLarge)
        << pattern << " as " << *translated << ": " << compiled.error();
  }
  EXPECT_GT(translated_count, 400);
}

}  // namespace
}  // namespace bartizan
