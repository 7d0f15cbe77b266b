#include "policy/neighbours.h"

#include <vector>

namespace bartizan {
namespace {

/// What the elements of one list say.
struct Texts {
  std::vector<JsonValue> all;
  std::vector<JsonValue> of_text_blocks;
};

/// Adds what a block says: its resource, or its content, or itself. Another member `text` beside
/// these is none of the protocol's, and shown by nobody.
void add_block(Texts& texts, JsonValue block) {
  const JsonValue resource = block.find("resource");
  const JsonValue text = resource.is(JsonType::object) ? resource.find("text") : block.find("text");
  if (!text.is(JsonType::string)) return;
  texts.all.push_back(text);
  const JsonValue type = block.find("type");
  if (!type || type.text() == "text") texts.of_text_blocks.push_back(text);
}

void add_element(Texts& texts, JsonValue element) {
  const JsonValue content = element.find("content");
  if (content.is(JsonType::object)) return add_block(texts, content);
  if (!content.is(JsonType::array)) return add_block(texts, element);
  for (const JsonValue block : content)
    add_block(texts, block);
}

}  // namespace

void visit_neighbours(JsonValue message, const VisitNeighbours& visit) {
  Texts texts;
  for (const JsonValue list : message.within()) {
    if (!list.is(JsonType::array)) continue;
    texts.all.clear();
    texts.of_text_blocks.clear();
    for (const JsonValue element : list)
      add_element(texts, element);
    if (texts.all.size() > 1 && !visit(texts.all)) return;
    const bool is_other = texts.of_text_blocks.size() < texts.all.size();
    if (is_other && texts.of_text_blocks.size() > 1 && !visit(texts.of_text_blocks)) return;
  }
}

}  // namespace bartizan
