// Which texts of a message somebody may join.
#include "policy/text/adjacent_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

/// The sequences that are visited: texts with spaces between, sequences with bars.
std::string visited(std::string_view json) {
  const Bytes bytes{json};
  JsonDocument document;
  std::string all;
  visit_neighbours(*document.read(bytes), [&all](std::span<const JsonValue> texts) {
    if (!all.empty()) all += " | ";
    for (const JsonValue& text : texts)
      (all += text.text()) += &text == &texts.back() ? "" : " ";
    return true;
  });
  return all;
}

TEST(Neighbours, AreWhatAListSays) {
  const struct {
    std::string_view name, json, want;
  } cases[] = {
      {"blocks", R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})", "a b"},
      {"one has none", R"({"content":[{"type":"text","text":"a"}]})", ""},
      {"an empty list", R"({"content":[]})", ""},
      {"an image says nothing",
       R"({"content":[{"type":"text","text":"a"},{"type":"image","data":"AA"},)"
       R"({"type":"text","text":"b"}]})",
       "a b"},
      {"a resource between texts",
       R"({"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"text":"r"}},)"
       R"({"type":"text","text":"b"}]})",
       "a r b | a b"},
      {"further members of a text",
       R"({"content":[{"type":"text","text":"a","resource":{"text":"x"},"content":{}},)"
       R"({"type":"text","content":[{"text":"x"}],"text":"b"}]})",
       "a b"},
      {"further members of a resource",
       R"({"content":[{"type":"resource","text":"x","resource":{"text":"a"}},)"
       R"({"type":"resource","text":"x","resource":{"text":"b"}}]})",
       "a b"},
      {"of no type, either may be shown",
       R"({"content":[{"text":"a","resource":{"text":"c"}},{"text":"b","resource":{"text":"d"}}]})",
       "c d | a b"},
      {"messages",
       R"({"messages":[{"role":"user","content":{"type":"text","text":"a"}},)"
       R"({"role":"user","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]})",
       "a b c | b c"},
      {"further members of messages",
       R"({"messages":[{"text":"x","type":"text","content":{"type":"text","text":"a"}},)"
       R"({"text":"x","content":{"type":"image","text":"c"}},)"
       R"({"uri":"u","content":{"type":"text","text":"b"}}]})",
       "a b"},
      {"texts of what is none",
       R"({"content":[{"type":"resource","resource":{"text":"a"}},{"type":"image","text":"x"},)"
       R"({"type":"resource_link","text":"x"},{"type":"resource","resource":{"text":"b"}}]})",
       "a b"},
      {"of no type, among texts",
       R"({"content":[{"type":"text","text":"a"},{"text":"c"},{"type":"text","text":"b"}]})",
       "a c b | a b"},
      {"of a type that nobody knows",
       R"({"content":[{"type":"text","text":"a"},{"type":"x","text":"c"},)"
       R"({"type":"resource","resource":{"text":"b"}}]})",
       "a c b | a b"},
      {"results of tools",
       R"({"messages":[{"content":{"type":"tool_result","text":"x","content":[{"text":"a"}]}},)"
       R"({"content":[{"type":"tool_result","content":[{"type":"text","text":"b"}]}]}]})",
       "a b"},
      {"contents that are none",
       R"({"messages":[{"text":"a","content":null},{"text":"b","content":"x"}],)"
       R"("contents":[{"uri":"u","content":{"text":"c"}},{"uri":"u","content":[{"text":"d"}]}]})",
       "a b | c d"},
      {"contents of a resource",
       R"({"contents":[{"uri":"u","text":"a","content":{"text":"x"}},{"uri":"u","blob":"AA"},)"
       R"({"uri":"u","text":"b","resource":{"text":"x"},"type":"resource"}]})",
       "a b"},
      {"strings", R"({"structuredContent":{"lines":["a",1,"b"]}})", "a b"},
      {"what is named so elsewhere",
       R"({"contents":[{"text":"a"},{"content":{"text":"b"}}],"messages":[{"text":"c"},)"
       R"({"text":"d"}]})",
       "a b | c d"},
      {"lists within lists", R"([["a","b"],["c"],{"text":["d","e"]}])", "a b | d e"},
      {"neither numbers nor nothing", R"([{"text":1},{"content":"x"},null,[],{}])", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(visited(c.json), c.want);
  }
}

TEST(Neighbours, AreVisitedUntilSomebodyHasSeenEnough) {
  const Bytes bytes{R"([["a","b"],["c","d"]])"};
  JsonDocument document;
  int visits = 0;
  visit_neighbours(*document.read(bytes), [&visits](std::span<const JsonValue>) {
    ++visits;
    return false;
  });
  EXPECT_EQ(visits, 1);
}

}  // namespace
}  // namespace bartizan
