#include "schemas/json/string_range.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

struct Row {
  std::string_view name;
  std::string_view quoted;
  ByteRange part;  ///< Of the value.
  std::string_view found;
};

TEST(StringRanges, FindsPartsOfValuesInTheirTexts) {
  const Row rows[] = {
      {"plain", R"("abcdef")", {1, 3}, R"(bc)"},
      {"all of it", R"("abcdef")", {0, 6}, R"(abcdef)"},
      {"an escape", R"("a\u0062c")", {1, 2}, R"(\u0062)"},
      {"behind an escape", R"("a\u0062cd")", {2, 4}, R"(cd)"},
      {"around an escape", R"("ab\ncd")", {1, 4}, R"(b\nc)"},
      {"all escapes", R"("\u0061\u0062")", {0, 2}, R"(\u0061\u0062)"},
      {"a pair of surrogates", R"("x\ud83d\ude00y")", {1, 5}, R"(\ud83d\ude00)"},
      {"behind a pair", R"("x\uD83D\uDE00y")", {5, 6}, R"(y)"},
      {"a part of a pair takes it whole", R"("x\ud83d\ude00y")", {2, 3}, R"(\ud83d\ude00)"},
      {"from a part of a pair on", R"("x\ud83d\ude00y")", {3, 6}, R"(\ud83d\ude00y)"},
      {"an escaped backslash", R"("a\\b")", {2, 3}, R"(b)"},
      {"an escaped backslash in front of a u", R"("a\\u0062")", {3, 5}, R"(00)"},
      {"an escaped quote", R"("a\"b")", {1, 2}, R"(\")"},
      {"letters of two bytes", R"("é\té")", {2, 5}, R"(\té)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(StringRanges(row.quoted).find(row.part).of(row.quoted), row.found);
  }
}

TEST(StringRanges, FindsOnePartAfterTheOther) {
  const std::string_view quoted = R"("ab\ncd\u0065f")";
  StringRanges ranges(quoted);
  EXPECT_EQ(ranges.find({0, 1}).of(quoted), "a");
  EXPECT_EQ(ranges.find({1, 3}).of(quoted), R"(b\n)");
  EXPECT_EQ(ranges.find({4, 6}).of(quoted), R"(d\u0065)");
  EXPECT_EQ(ranges.find({6, 7}).of(quoted), "f");
}

}  // namespace
}  // namespace bartizan
