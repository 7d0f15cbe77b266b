#include "gateway/http/shown_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

std::string mark(std::string_view text) {
  return "<span class=\"mark\">" + std::string(text) + "</span>";
}

TEST(ShownText, IsTextAndNothingElse) {
  const struct {
    std::string_view name, text;
    std::string want;
  } cases[] = {
      {"nothing", "", ""},
      {"words", "reads a file", "reads a file"},
      {"lines and tabs", "one\n\ttwo", "one\n\ttwo"},
      {"letters of other scripts", "Größe 大小 קובץ", "Größe 大小 קובץ"},
      {"a script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
      {"the end of an element", "</bdi></p><img src=x onerror=y>",
       "&lt;/bdi&gt;&lt;/p&gt;&lt;img src=x onerror=y&gt;"},
      {"quotes", "\" onclick='x'", "&quot; onclick=&#39;x&#39;"},
      {"an entity", "&lt;b&gt; &amp;", "&amp;lt;b&amp;gt; &amp;amp;"},
      {"a text that looks like a mark", "[U+200B]", "[U+200B]"},
      {"a letter without width", "a\u200bb", "a" + mark("[U+200B]") + "b"},
      {"an override of direction", "a\u202egnp.exe", "a" + mark("[U+202E]") + "gnp.exe"},
      {"letters for machines", "a\U000E0041\U000E0042", "a" + mark("[U+E0041][U+E0042]")},
      {"an escape of terminals", "\x1b[31mred", mark("[U+001B][31m") + "red"},
      {"markup in an escape", "\x1b]0;<b>\x07", mark("[U+001B]]0;&lt;b&gt;[U+0007]")},
      {"a NUL", std::string_view("a\0b", 3), "a" + mark("[U+0000]") + "b"},
      {"a carriage return alone", "a\rb", "a" + mark("[U+000D]") + "b"},
      {"a byte of no character", "a\xFF", "a" + mark("[byte FF]")},
      {"half a character", "a\xC3", "a" + mark("[byte C3]")},
      {"a long spelling of <",
       "\xC0\xBC"
       "b",
       mark("[byte C0]") + mark("[byte BC]") + "b"},
      {"half a character before markup", "\xC3<b>", mark("[byte C3]") + "&lt;b&gt;"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(shown_text(c.text), "<bdi>" + c.want + "</bdi>");
  }
}

TEST(ShownText, IsCutBetweenTwoCharacters) {
  const struct {
    std::string_view name, text, want;
    std::size_t bytes_max, left_out;
  } cases[] = {
      {"what fits", "abcd", "abcd", 4, 0},
      {"one too many", "abcde", "abcd", 4, 1},
      {"a character across the end", "abcä", "abc", 4, 2},
      {"a character at the end", "abä", "abä", 4, 0},
      {"bytes of no character", "ab\x80\x80\x80\x80\x80", "a", 2, 6},
      {"markup at the end", "abc<b>", "abc&lt;", 4, 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string cut =
        c.left_out == 0 ? "" : mark("[… " + std::to_string(c.left_out) + " more bytes]");
    EXPECT_EQ(shown_text(c.text, c.bytes_max), "<bdi>" + std::string(c.want) + cut + "</bdi>");
  }
}

TEST(ShownText, OfAnySizeIsBounded) {
  // The longest form of a byte is a mark of its own.
  const std::size_t most = limits::shown_text_bytes_max * (mark("[byte FF]").size()) + 128;
  for (const char c : {'<', '\xFF', '\x01', 'a'}) {
    SCOPED_TRACE(c);
    EXPECT_LE(shown_text(std::string(std::size_t{1} << 20, c)).size(), most);
  }
}

TEST(EscapedHtml, StaysWithinItsQuotes) {
  EXPECT_EQ(escaped_html("plain_echo.1"), "plain_echo.1");
  EXPECT_EQ(escaped_html("\"><b> '&"), "&quot;&gt;&lt;b&gt; &#39;&amp;");
}

}  // namespace
}  // namespace bartizan
