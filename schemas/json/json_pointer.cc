#include "schemas/json/json_pointer.h"

#include <utility>

#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

bool holds(JsonValue outer, JsonValue inner) {
  const std::string_view outside = outer.raw();
  const std::string_view inside = inner.raw();
  return inside.data() >= outside.data() &&
         inside.data() + inside.size() <= outside.data() + outside.size();
}

}  // namespace

std::string pointer_to(JsonValue root, JsonValue value) {
  std::string pointer;
  while (root && root.raw().data() != value.raw().data()) {
    JsonValue next;
    std::size_t at = 0;
    for (const JsonValue child : root) {
      if (holds(child, value)) {
        pointer =
            pointer_below(std::move(pointer),
                          root.is(JsonType::array) ? std::to_string(at) : std::string(child.key()));
        next = child;
        break;
      }
      ++at;
    }
    if (!next) return "";
    root = next;
  }
  return pointer;
}

std::string cut_pointer(std::string pointer) {
  const std::string_view head = utf8_head(pointer, limits::schema_pointer_bytes_max);
  if (head.size() == pointer.size()) return pointer;
  return std::string(head) + "…";
}

}  // namespace bartizan
