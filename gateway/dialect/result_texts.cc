#include "gateway/dialect/result_texts.h"

namespace bartizan {

std::string texts_of_content(JsonValue content) {
  std::string texts;
  for (const JsonValue block : content) {
    const JsonValue text = block.find("text");
    if (!text.is(JsonType::string)) continue;
    if (!texts.empty()) texts += '\n';
    texts += text.text();
  }
  return texts;
}

}  // namespace bartizan
