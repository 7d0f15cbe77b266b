#include "policy/text/adjacent_texts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

/// Content blocks of the protocol without a text.
constexpr std::string_view kTextless[] = {"image", "audio", "resource_link", "tool_use"};

/// The texts of one list: all, and those of clients that show less.
struct Texts {
  std::vector<JsonValue> all;
  std::vector<JsonValue> of_known_blocks;
  std::vector<JsonValue> of_text_blocks;  ///< Or of blocks without a type.
  std::vector<JsonValue> of_typed_text_blocks;

  std::array<std::vector<JsonValue>*, 4> ways() {
    return {&all, &of_known_blocks, &of_text_blocks, &of_typed_text_blocks};
  }
};

void add_text(std::vector<JsonValue>& texts, JsonValue text) {
  if (text.is(JsonType::string)) texts.push_back(text);
}

/// Adds the visible text of a content block.
void add_shown(Texts& texts, JsonValue block) {
  const JsonValue type = block.find("type");
  if (std::ranges::find(kTextless, type.text()) != std::end(kTextless)) return;
  const JsonValue text = block.find("text");
  const JsonValue of_resource = block.find("resource").find("text");
  const bool is_text = type.text() == "text";
  const bool is_resource = type ? type.text() == "resource" : of_resource.is(JsonType::string);
  add_text(texts.all, is_resource ? of_resource : text);
  if (is_text || type.text() == "resource") {
    add_text(texts.of_known_blocks, is_resource ? of_resource : text);
  }
  if (is_text || !type) add_text(texts.of_text_blocks, text);
  if (is_text) add_text(texts.of_typed_text_blocks, text);
}

/// The text of a tool result is that of its blocks.
void add_block(Texts& texts, JsonValue block) {
  if (block.find("type").text() != "tool_result") return add_shown(texts, block);
  for (const JsonValue inner : block.find("content"))
    add_shown(texts, inner);
}

/// The list determines the kind of an element, if possible. Further members do not change it.
void add_element(Texts& texts, JsonValue element, std::string_view list) {
  if (element.is(JsonType::string)) return texts.all.push_back(element);
  const JsonValue text = element.find("text");
  if (list == "contents" && element.find("uri") && text.is(JsonType::string)) {
    return texts.all.push_back(text);
  }
  const JsonValue content = element.find("content");
  const bool has_content = content.is(JsonType::object) || content.is(JsonType::array);
  const bool says_itself = text.is(JsonType::string) || element.find("resource");
  if (!has_content || (says_itself && list != "messages")) return add_block(texts, element);
  // A message has one content block, or a list of them.
  if (content.is(JsonType::object)) return add_block(texts, content);
  for (const JsonValue block : content)
    add_block(texts, block);
}

bool is_same(std::span<const JsonValue> some, std::span<const JsonValue> others) {
  const auto place = [](JsonValue value) { return value.range().begin; };
  return std::ranges::equal(some, others, {}, place, place);
}

bool has_neighbours(JsonValue list) {
  if (!list.is(JsonType::array)) return false;
  auto element = list.begin();
  if (element == list.end()) return false;
  ++element;
  return element != list.end();
}

}  // namespace

void visit_neighbours(JsonValue message, const VisitNeighbours& visit) {
  Texts texts;
  for (const JsonValue list : message.within()) {
    if (!has_neighbours(list)) continue;
    for (std::vector<JsonValue>* some : texts.ways())
      some->clear();
    for (const JsonValue element : list)
      add_element(texts, element, list.key());
    const auto ways = texts.ways();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const bool is_known = std::any_of(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const auto* some) { return is_same(*some, *ways[i]); });
      if (!is_known && ways[i]->size() > 1 && !visit(*ways[i])) return;
    }
  }
}

std::vector<JsonValue> texts_of(JsonValue list) {
  Texts texts;
  for (const JsonValue element : list)
    add_element(texts, element, list.key());
  return std::move(texts.all);
}

}  // namespace bartizan
