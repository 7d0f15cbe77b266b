#include "gateway/process/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

using std::string_literals::operator""s;

struct Lines {
  std::vector<std::string> lines = {};
  std::optional<std::string> rest = {};
  std::uint64_t dropped = 0;
  bool operator==(const Lines&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Lines& lines) {
  for (const std::string& line : lines.lines)
    out << "[" << line << "]";
  return out << " rest " << lines.rest.value_or("-") << " dropped " << lines.dropped;
}

Lines read_parts(const std::vector<std::string_view>& parts) {
  LineReader reader(5);
  Lines out;
  for (std::string_view part : parts) {
    while (!part.empty()) {
      auto step = reader.step(part);
      EXPECT_GT(step.consumed, 0U);
      EXPECT_LE(reader.buffered(), 5U);
      part.remove_prefix(step.consumed);
      if (step.line) out.lines.emplace_back(step.line->view());
    }
  }
  if (const auto rest = reader.take_unterminated()) out.rest = rest->view();
  out.dropped = reader.dropped_lines();
  EXPECT_EQ(reader.buffered(), 0U);
  return out;
}

TEST(LineReader, CutsLines) {
  const struct {
    std::string_view name;
    std::string bytes;
    Lines want;
  } cases[] = {
      {"nothing", "", {}},
      {"a line", "a\n", {{"a"}}},
      {"lines", "a\nbc\n", {{"a", "bc"}}},
      {"crlf", "a\r\nb\r\n", {{"a", "b"}}},
      {"empty lines", "\n\r\n\n", {{"", "", ""}}},
      {"a cr inside", "a\rb\n", {{"a\rb"}}},
      {"two crs", "a\r\r\n", {{"a\r"}}},
      {"a nul", "a\0b\n"s, {{"a\0b"s}}},
      {"no line end", "a\nb", {{"a"}, "b"}},
      {"a cr and no line end", "a\nb\r", {{"a"}, "b\r"}},
      {"as long as may be", "12345\n", {{"12345"}}},
      {"as long as may be, crlf", "12345\r\n", {{"12345"}}},
      {"as long as may be, no line end", "12345", {{}, "12345"}},
      {"one byte more", "123456\nb\n", {{"b"}, {}, 1}},
      {"one cr more", "12345\r\r\nb\n", {{"b"}, {}, 1}},
      {"one byte more, crlf", "123456\r\nb\r\n", {{"b"}, {}, 1}},
      {"much more", std::string(100, 'x') + "\nb\n", {{"b"}, {}, 1}},
      {"two dropped", "123456\n123456\nb", {{}, "b", 2}},
      {"dropped at the end", "a\n123456", {{"a"}, {}, 1}},
      {"a cr too many at the end", "12345\r", {{}, {}, 1}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string_view bytes = c.bytes;
    EXPECT_EQ(read_parts({bytes}), c.want);
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      single.push_back(bytes.substr(i, 1));
    EXPECT_EQ(read_parts(single), c.want) << "byte by byte";
    for (std::size_t split = 1; split < bytes.size(); ++split) {
      EXPECT_EQ(read_parts({bytes.substr(0, split), bytes.substr(split)}), c.want)
          << "split at " << split;
    }
  }
}

TEST(LineReader, BeginsAnewBehindTheEnd) {
  LineReader reader(5);
  reader.step("ab\r");
  EXPECT_TRUE(reader.take_unterminated());
  EXPECT_FALSE(reader.take_unterminated());
  const auto step = reader.step("c\n");
  ASSERT_TRUE(step.line);
  EXPECT_EQ(step.line->view(), "c");
}

}  // namespace
}  // namespace bartizan
