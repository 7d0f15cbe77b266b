#include "policy/path/text_beginning.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

using namespace std::string_view_literals;

TEST(TextBeginning, IsUtf8WithoutNul) {
  const struct {
    std::string_view name;
    std::string_view beginning;
    bool whole;  ///< Wanted of a whole file …
    bool cut;    ///< … and of one that goes on.
  } cases[] = {
      {"nothing", "", true, true},
      {"letters", "class Main {}\n", true, true},
      {"control characters", "a\x1b[1m\x01\x7f", true, true},
      {"letters of two, three and four bytes", "l\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", true, true},
      {"a mark of the order of bytes",
       "\xef\xbb\xbf"
       "a",
       true, true},
      {"NUL", "a\0b"sv, false, false},
      {"NUL alone", "\0"sv, false, false},
      {"NUL at the end", "ab\0"sv, false, false},
      {"UTF-16",
       "\xff\xfe"
       "a\0"sv,
       false, false},
      {"another encoding",
       "l\xe9"
       "eme",
       false, false},
      {"another encoding at the end", "ni\xf1", false, true},
      {"a class", "\xca\xfe\xba\xbe", false, false},
      {"a byte that begins nothing", "a\xff", false, false},
      {"the rest of a character alone", "a\x80", false, false},
      {"a character of two bytes, cut", "a\xc3", false, true},
      {"of three bytes, cut", "a\xe2\x82", false, true},
      {"of four bytes, cut early", "a\xf0", false, true},
      {"of four bytes, cut late", "a\xf0\x9f\x98", false, true},
      {"cut, the least that may follow", "a\xe0\xa0", false, true},
      {"cut, the greatest that may follow", "a\xf4\x8f", false, true},
      {"cut, and longer than it has to be", "a\xe0\x80", false, false},
      {"cut, and half a pair", "a\xed\xa0", false, false},
      {"cut, and beyond Unicode", "a\xf4\x90", false, false},
      {"a lead that no character has, cut", "a\xc0", false, false},
      {"a cut character in the middle",
       "a\xe2\x82"
       "b",
       false, false},
      {"a cut character, then a whole one", "\xc3\xc3\xa9", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(begins_as_text(c.beginning, true), c.whole);
    EXPECT_EQ(begins_as_text(c.beginning, false), c.cut);
  }
}

}  // namespace
}  // namespace bartizan
