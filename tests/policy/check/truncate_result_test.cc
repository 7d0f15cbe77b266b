#include "policy/check/truncate_result.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

TEST(TruncateResult, KeepsTheFirstPartThatFits) {
  const struct {
    std::string_view name;
    ResultLimits limits;
    std::string_view result;
    std::string_view content;
    bool keeps_structured_content = false;
  } rows[] = {
      {"whole blocks",
       {.blocks = 2},
       R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]})",
       R"([{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"[truncated: 2 of 3 blocks; a result may have at most 2 blocks]"}])"},
      {"the beginning of a text",
       {.bytes = 16},
       R"({"content":[{"type":"text","text":"abcdef"}]})",
       R"([{"type":"text","text":"abcd"},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 16 bytes]"}])"},
      {"of which no character is cut",
       {.bytes = 16},
       R"({"content":[{"type":"text","text":"abcé\u00e9"}]})",
       R"([{"type":"text","text":"abc"},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 16 bytes]"}])"},
      {"and no mark of what was taken out",
       {.bytes = 22},
       R"({"content":[{"type":"text","text":"a [redacted:jwt] b"}]})",
       R"([{"type":"text","text":"a "},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 22 bytes]"}])"},
      {"nor within how a mark begins",
       {.bytes = 17},
       R"({"content":[{"type":"text","text":"a [redacted:jwt] b"}]})",
       R"([{"type":"text","text":"a "},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 17 bytes]"}])"},
      {"a mark that fits stays",
       {.bytes = 28},
       R"({"content":[{"type":"text","text":"a [redacted:jwt] b"}]})",
       R"([{"type":"text","text":"a [redacted:jwt]"},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 28 bytes]"}])"},
      {"what only looks like one is cut",
       {.bytes = 24},
       R"({"content":[{"type":"text","text":"a [redacted:a name] b"}]})",
       R"([{"type":"text","text":"a [redacted:"},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 24 bytes]"}])"},
      {"what stands around a text stays as it was",
       {.bytes = 42},
       R"({"content":[{ "text" : "\u0061bcdef", "type":"text", "annotations":{}}, {"type":"text","text":"b"}]})",
       R"([{ "text" : "\u0061bcdef", "type":"text", "annotations":{}},{"type":"text","text":"b"},{"type":"text","text":"[truncated: 2 of 2 blocks]"}])"},
      {"lines",
       {.lines = 2},
       R"({"content":[{"type":"text","text":"a\nb\nc\n"}]})",
       R"([{"type":"text","text":"a\nb\n"},{"type":"text","text":"[truncated: 0 of 1 blocks and the beginning of the next; a result may have at most 2 entries]"}])"},
      {"nothing behind what did not fit",
       {.bytes = 20},
       R"({"content":[{"type":"image","data":"AAAAAAAAAAAAAAAAAAAAAAAA","mimeType":"image/png"},{"type":"text","text":"b"}]})",
       R"([{"type":"text","text":"[truncated: 0 of 2 blocks; a result may have at most 20 bytes]"}])"},
      {"a resource's text",
       {.blocks = 1},
       R"({"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}},{"type":"text","text":"b"}]})",
       R"([{"type":"resource","resource":{"uri":"a:b","text":"x"}},{"type":"text","text":"[truncated: 1 of 2 blocks; a result may have at most 1 block]"}])"},
      {"structured content that fits",
       {.blocks = 1},
       R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"a":1}})",
       R"([{"type":"text","text":"a"},{"type":"text","text":"[truncated: 1 of 2 blocks; a result may have at most 1 block]"}])",
       true},
      {"structured content that does not",
       {.depth = 1},
       R"({"content":[{"type":"text","text":"a"}],"structuredContent":{"a":{}}})",
       R"([{"type":"text","text":"a"},{"type":"text","text":"[truncated: 1 of 1 blocks, without structured content; a result may have at most 1 object or array deep]"}])"},
      {"a text beside which there is too much",
       {.elements = 2},
       R"({"content":[{"type":"text","text":"abc","annotations":{"audience":[1,2,3]}}]})",
       R"([{"type":"text","text":"[truncated: 0 of 1 blocks; a result may have at most 2 entries]"}])"},
      {"no content at all",
       {.depth = 1},
       R"({"structuredContent":{"a":{}}})",
       R"([{"type":"text","text":"[truncated: 0 of 0 blocks, without structured content; a result may have at most 1 object or array deep]"}])"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes{row.result};
    JsonDocument document;
    const JsonValue result = *document.read(bytes);
    const TruncatedResult truncated = truncate_result(row.limits, result);
    EXPECT_EQ(truncated.content, row.content);
    EXPECT_EQ(truncated.keeps_structured_content, row.keeps_structured_content);
    const Bytes left{std::string_view(truncated.content)};
    EXPECT_TRUE(document.read(left).has_value());
  }
}

}  // namespace
}  // namespace bartizan
