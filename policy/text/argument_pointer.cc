#include "policy/text/argument_pointer.h"

#include <algorithm>
#include <utility>

#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

PointerSegment parse_segment(std::string_view text) {
  if (text == "*") return {.name = {}, .every_element = true};
  return {.name = unescape_pointer_token(text).value_or(std::string(text)), .every_element = false};
}

std::string name_of(const Place& place) {
  return place.is_element ? std::to_string(place.index) : std::string(place.name);
}

}  // namespace

std::vector<PointerSegment> parse_pointer(std::string_view pointer) {
  std::vector<PointerSegment> segments;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    segments.push_back(parse_segment(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return segments;
}

std::string pointer_text(const Place* place) {
  std::string pointer;
  for (; place != nullptr; place = place->above) {
    const std::string step = pointer_below("", name_of(*place));
    pointer = step + pointer;
    if (pointer.size() > limits::pointer_bytes_max) pointer = step;
    if (pointer.size() > limits::pointer_bytes_max) pointer.clear();
  }
  return pointer;
}

JsonValue find_step(JsonValue value, std::string_view name) {
  if (value.is(JsonType::object)) return value.find(name);
  return value.at_pointer(pointer_below("", name));
}

bool selects(std::string_view pointer, std::string_view place) {
  while (!pointer.empty() && !place.empty()) {
    const std::size_t wanted = std::min(pointer.find('/', 1), pointer.size());
    const std::size_t found = std::min(place.find('/', 1), place.size());
    const std::string_view segment = pointer.substr(0, wanted);
    if (segment != "/*" && segment != place.substr(0, found)) return false;
    pointer.remove_prefix(wanted);
    place.remove_prefix(found);
  }
  return pointer.empty() && place.empty();
}

}  // namespace bartizan
