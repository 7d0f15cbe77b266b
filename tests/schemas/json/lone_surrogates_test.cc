#include "schemas/json/lone_surrogates.h"

#include <gtest/gtest.h>

#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

const struct {
  std::string_view name;
  std::string_view text;
  std::size_t count;
  std::string_view want;
} kCases[] = {
    {"plain", R"({"a":"b"})", 0, R"({"a":"b"})"},
    {"a pair", R"(["\uD83D\ude00"])", 0, R"(["\uD83D\ude00"])"},
    {"other escapes", R"(["\uD7FF\uE000\n\\\""])", 0, R"(["\uD7FF\uE000\n\\\""])"},
    {"a high half", R"(["x\uD83Dy"])", 1, R"(["x\ufffdy"])"},
    {"a high half at the end", R"(["x\uD83D"])", 1, R"(["x\ufffd"])"},
    {"a low half", R"(["\uDE00"])", 1, R"(["\ufffd"])"},
    {"the lowest and the highest", R"(["\ud800 \udbff \udc00 \udfff"])", 4,
     R"(["\ufffd \ufffd \ufffd \ufffd"])"},
    {"halves in the wrong order", R"(["\uDE00\uD83D"])", 2, R"(["\ufffd\ufffd"])"},
    {"a half before a pair", R"(["\uD83D\uD83D\uDE00"])", 1, R"(["\ufffd\uD83D\uDE00"])"},
    {"a half before another escape", R"(["\uD83D\n"])", 1, R"(["\ufffd\n"])"},
    {"a half before an escaped backslash", R"(["\uD83D\\uDE00"])", 1, R"(["\ufffd\\uDE00"])"},
    {"a backslash before the letter", R"(["\\uD83D"])", 0, R"(["\\uD83D"])"},
    {"two backslashes before a half", R"(["\\\uD83D"])", 1, R"(["\\\ufffd"])"},
    {"in a name", R"({"\uD83D":1})", 1, R"({"\ufffd":1})"},
    {"an escape that ends too early", R"(["\uD8"])", 0, R"(["\uD8"])"},
    {"a text that ends in a backslash", R"(["\)", 0, R"(["\)"},
    {"nothing", "", 0, ""},
};

TEST(LoneSurrogates, BecomeTheReplacementCharacter) {
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Bytes text{c.text};
    EXPECT_EQ(replace_lone_surrogates(text), c.count);
    EXPECT_EQ(text.view(), c.want);
    EXPECT_EQ(text.size(), c.text.size());
    if (c.count > 0) EXPECT_TRUE(JsonDocument().read(text).has_value());
  }
}

}  // namespace
}  // namespace bartizan
