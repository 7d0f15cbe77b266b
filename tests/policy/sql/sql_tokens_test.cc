#include "policy/sql/sql_tokens.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "policy/sql/sql_words.h"

namespace bartizan {
namespace {

/// The tokens, each between bars; `?` ends what no token of the dialect is.
std::string tokens(std::string_view text, SqlDialect dialect) {
  SqlLexer lexer(text, dialect);
  std::string out;
  while (true) {
    const SqlToken token = lexer.next();
    if (token.kind == SqlTokenKind::end) return out;
    if (token.kind == SqlTokenKind::unknown) return out + "!";
    out += std::string(token.text) + "|";
  }
}

constexpr auto kDialects = std::to_array<SqlDialect>(
    {SqlDialect::ansi, SqlDialect::mysql, SqlDialect::postgres, SqlDialect::sqlite});

TEST(SqlLexer, CutsByDialect) {
  const struct {
    std::string_view name, text, ansi, mysql, postgres, sqlite;
  } cases[] = {
      {"words", "a b_1 c$", "a|b_1|c$|", "a|b_1|c$|", "a|b_1|c$|", "a|b_1|c$|"},
      {"letters", "bücher", "bücher|", "bücher|", "bücher|", "bücher|"},
      {"a blank of another script", "a\u00a0b", "a|!", "a|!", "a|!", "a|!"},
      {"a quote of another script", "\u2019a\u2019", "!", "!", "!", "!"},
      {"a fullwidth quote", "\uff07", "!", "!", "!", "!"},
      {"a mark of byte order", "\ufeffa", "!", "!", "!", "!"},
      {"a vertical tab", "a\vb", "a|!", "a|!", "a|!", "a|!"},
      {"a string", "'a''b'", "'a''b'|", "'a''b'|", "'a''b'|", "'a''b'|"},
      {"a string without end", "'a", "!", "!", "!", "!"},
      {"a quote behind a backslash", "'a\\'b'", "!", "!", "!", "'a\\'|!"},
      {"a quote behind two", "'a\\\\'", "'a\\\\'|", "'a\\\\'|", "'a\\\\'|", "'a\\\\'|"},
      {"a quote behind three", "'\\\\\\'", "!", "!", "!", "'\\\\\\'|"},
      {"a backslash within", "'a\\b'", "'a\\b'|", "'a\\b'|", "'a\\b'|", "'a\\b'|"},
      {"double quotes", "\"a\"\"b\"", "\"a\"\"b\"|", "\"a\"\"b\"|", "\"a\"\"b\"|", "\"a\"\"b\"|"},
      {"double quotes, a backslash", "\"a\\\"", "!", "!", "\"a\\\"|", "\"a\\\"|"},
      {"three quotes", "'''a'''", "!", "'''a'''|", "'''a'''|", "'''a'''|"},
      {"nothing in double quotes", "\"\"", "!", "\"\"|", "!", "!"},
      {"grave accents", "`a``b`", "!", "`a``b`|", "!", "`a``b`|"},
      {"brackets", "[a b]", "!", "!", "[|a|b|]|", "[a b]|"},
      {"an escaped string", "E'a\\'b'", "!", "!", "E'a\\'b'|", "!"},
      {"an escaped string goes on", "e'\\\\'';'", "!", "!", "e'\\\\'';'|", "!"},
      {"a prefix", "N'a' x'0f' B'01'", "N'a'|x'0f'|B'01'|", "N'a'|x'0f'|B'01'|",
       "N'a'|x'0f'|B'01'|", "N'a'|x'0f'|B'01'|"},
      {"another prefix", "a'x'", "!", "!", "!", "!"},
      {"by code points", "U&'\\0027'", "!", "U|&|'\\0027'|", "!", "U|&|'\\0027'|"},
      {"a name by code points", "u&\"\\0061\"", "!", "u|&|\"\\0061\"|", "!", "u|&|\"\\0061\"|"},
      {"dollar quotes", "$$a'b$$", "!", "!", "$$a'b$$|", "$$a|!"},
      {"dollar quotes with a tag", "$t$a$$b$t$", "!", "!", "$t$a$$b$t$|", "$t$a$$b$t$|"},
      {"dollar quotes without end", "$t$a$$", "!", "!", "!", "$t$a$$|"},
      {"a dollar in a name", "a$$b$$", "a$$b$$|", "a$$b$$|", "a$$b$$|", "a$$b$$|"},
      {"a numbered parameter", "$1", "!", "!", "$1|", "$1|"},
      {"a numbered parameter with letters", "$1a", "!", "!", "!", "$1a|"},
      {"parameters", "? :a @b", "?|:a|!", "?|:a|@b|", "?|:|a|@|b|", "?|:a|@b|"},
      {"a parameter with a suffix", "$a(b)", "!", "!", "!", "!"},
      {"a setting", "@@version", "!", "@@version|", "@@|version|", "!"},
      {"an assignment", "@a := 1", "!", "@a|!", "@|a|!", "@a|!"},
      {"a cast", "a::int", "a|::|int|", "a|!", "a|::|int|", "a|!"},
      {"numbers", "1 1.5 .5 1. 1e5 1E-5 0xfF", "1|1.5|.5|1.|1e5|1E-5|0xfF|",
       "1|1.5|.5|1.|1e5|1E-5|0xfF|", "1|1.5|.5|1.|1e5|1E-5|0xfF|", "1|1.5|.5|1.|1e5|1E-5|0xfF|"},
      {"letters behind a number", "1FROM", "!", "!", "!", "!"},
      {"no exponent", "1.e", "!", "!", "!", "!"},
      {"no digits", "0xg", "!", "!", "!", "!"},
      {"two points", "1.2.3", "!", "!", "!", "!"},
      {"a comment to the end of the line", "a--b\nc", "a|c|", "a|!", "a|c|", "a|c|"},
      {"with a blank", "a-- b\nc", "a|c|", "a|c|", "a|c|", "a|c|"},
      {"to the end", "a --", "a|", "a|", "a|", "a|"},
      {"a carriage return alone ends it not", "a -- b\rc", "a|!", "a|!", "a|!", "a|!"},
      {"both end it", "a -- b\r\nc", "a|c|", "a|c|", "a|c|", "a|c|"},
      {"a hash", "a # b\nc", "a|!", "a|c|", "a|#|b|c|", "a|!"},
      {"a comment", "a/* ' */b", "a|b|", "a|b|", "a|b|", "a|b|"},
      {"a comment within", "/* /* */ a */ b", "!", "!", "b|", "!"},
      {"a comment within, open", "/* /* */ a", "!", "!", "!", "!"},
      {"a comment without end", "a /*", "a|!", "a|!", "a|!", "a|!"},
      {"not yet its end", "/*/ a", "!", "!", "!", "!"},
      {"stars", "/***/ a", "a|", "a|", "a|", "a|"},
      {"an executed comment", "/*! a */", "!", "!", "", ""},
      {"one of MariaDB", "/*M! a */", "!", "!", "", ""},
      {"a hint", "/*+ a */", "!", "!", "", ""},
      {"a comment between operators", "1+-- 2", "1|+|", "1|+|", "1|+|", "1|+|"},
      {"a comment behind a star", "*/**/a", "*|a|", "*|a|", "*|a|", "*|a|"},
      {"operators", "a<>b||c->>d", "a|<>|b||||c|->>|d|", "a|<>|b||||c|->>|d|", "a|<>|b||||c|->>|d|",
       "a|<>|b||||c|->>|d|"},
      {"a backslash", "a\\b", "a|!", "a|!", "a|!", "a|!"},
      {"a brace", "{d '1'}", "!", "!", "!", "!"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(tokens(c.text, SqlDialect::ansi), c.ansi);
    EXPECT_EQ(tokens(c.text, SqlDialect::mysql), c.mysql);
    EXPECT_EQ(tokens(c.text, SqlDialect::postgres), c.postgres);
    EXPECT_EQ(tokens(c.text, SqlDialect::sqlite), c.sqlite);
  }
}

TEST(SqlLexer, TellsOfComments) {
  for (const SqlDialect dialect : kDialects) {
    SqlLexer plain("a '--' \"/* */\"", dialect);
    while (plain.next().kind != SqlTokenKind::end) {
    }
    EXPECT_FALSE(plain.has_comment());
    SqlLexer commented("a /**/", dialect);
    commented.next();
    EXPECT_FALSE(commented.has_comment());
    EXPECT_EQ(commented.next().kind, SqlTokenKind::end);
    EXPECT_TRUE(commented.has_comment());
  }
}

TEST(SqlWord, IgnoresCase) {
  EXPECT_EQ(sql_word("select"), SqlWord::select);
  EXPECT_EQ(sql_word("SeLeCt"), SqlWord::select);
  EXPECT_EQ(sql_word("STRAIGHT_JOIN"), SqlWord::straight_join);
  EXPECT_EQ(sql_word("xor"), SqlWord::xor_);
  EXPECT_EQ(sql_word("selects"), SqlWord::none);
  EXPECT_EQ(sql_word("a_word_that_is_longer_than_all"), SqlWord::none);
  EXPECT_EQ(sql_word(""), SqlWord::none);
}

}  // namespace
}  // namespace bartizan
