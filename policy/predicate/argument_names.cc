#include "policy/predicate/argument_names.h"

#include <string>

#include "schemas/json/folded_name.h"
#include "schemas/json/json_pointer.h"
#include "schemas/json/json_text.h"

namespace bartizan {

JsonValue ArgumentNames::find_folded(std::span<const PointerSegment> pointer) {
  return find_folded(pointer, arguments_);
}

bool ArgumentNames::has_both(JsonValue object, std::string_view one, std::string_view other) {
  if (schema_ == nullptr || !schema_->has_alike_names() || left_ == 0) return false;
  --left_;
  return has(object, one) && has(object, other);
}

JsonValue ArgumentNames::find_folded(std::span<const PointerSegment> rest, JsonValue value) {
  if (rest.empty()) return {};
  const PointerSegment& step = rest.front();
  if (step.every_element) {
    if (!value.is(JsonType::array)) return {};
    for (const JsonValue element : value) {
      if (const JsonValue found = find_folded(rest.subspan(1), element)) return found;
    }
    return {};
  }
  if (value.is(JsonType::object)) {
    for (const JsonValue member : value) {
      const std::string_view name = member.key();
      const bool passes_for_it = name != step.name && folds_alike(name, step.name);
      if (passes_for_it && !has_both(value, name, step.name)) return member;
    }
  }
  const bool is_container = value.is(JsonType::object) || value.is(JsonType::array);
  if (rest.size() == 1 || !is_container) return {};
  return find_folded(rest.subspan(1), find_step(value, step.name));
}

bool ArgumentNames::has(JsonValue object, std::string_view name) const {
  const std::string pointer = pointer_below(pointer_to(arguments_, object), name);
  return schema_->without_unnamed(pointer) == pointer;
}

}  // namespace bartizan
