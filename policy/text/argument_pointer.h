#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// One step of a pointer into the arguments.
struct PointerSegment {
  std::string name;            ///< Unescaped member name, or an index into an array.
  bool every_element = false;  ///< `*`: the elements of an array, and of nothing else.
};

/// The RFC 6901 pointer cut into segments, with `*` for every element.
std::vector<PointerSegment> parse_pointer(std::string_view pointer);

/// Whether a pointer, in which `*` is any element, selects the place that another one names.
bool selects(std::string_view pointer, std::string_view place);

/// Where in the arguments something stands: a step, and the place that it was made from. Lives on
/// the stack of whoever walks.
struct Place {
  const Place* above = nullptr;  ///< Null for a step from the arguments themselves.
  std::string_view name = {};    ///< Of a member; `*` for the elements that an array has not.
  bool is_element = false;
  std::size_t index = 0;  ///< Of an element.
};

/// The JSON pointer of a place. One that grew too long keeps its head, which is the part that a
/// reader knows from the schema. Cost: memory, so only what is refused is asked for it.
std::string pointer_text(const Place* place);

/// The member of that name, or the element of that index; absent where there is none.
JsonValue find_step(JsonValue value, std::string_view name);

/// What stands where a pointer leads.
enum class Selection : std::uint8_t {
  value,        ///< A value.
  nothing,      ///< No such member or element, or an array without any.
  other_shape,  ///< A value that cannot have such a member, or elements.
};

template <class Visit>
bool visit_elements(std::span<const PointerSegment> rest, JsonValue array, Visit&& visit,
                    const Place* place);

/// Follows a pointer and tells `visit(selection, value, place)` of every branch where it ends,
/// until one answer is false. Whether all were true.
template <class Visit>
bool visit_selected(std::span<const PointerSegment> rest, JsonValue value, Visit&& visit,
                    const Place* place = nullptr) {
  if (rest.empty()) return visit(Selection::value, value, place);
  const PointerSegment& segment = rest.front();
  const bool is_array = value.is(JsonType::array);
  const bool fits = is_array || (!segment.every_element && value.is(JsonType::object));
  if (!fits) return visit(Selection::other_shape, value, place);
  if (segment.every_element) return visit_elements(rest.subspan(1), value, visit, place);
  const Place step{.above = place, .name = segment.name};
  const JsonValue found = find_step(value, segment.name);
  if (!found) return visit(Selection::nothing, JsonValue(), &step);
  return visit_selected(rest.subspan(1), found, visit, &step);
}

/// Follows a pointer from each element of an array and tells `visit(selection, value, place)` of
/// every branch where it ends, until one answer is false. Whether all were true.
template <class Visit>
bool visit_elements(std::span<const PointerSegment> rest, JsonValue array, Visit&& visit,
                    const Place* place) {
  Place element{.above = place, .is_element = true};
  for (const JsonValue one : array) {
    if (!visit_selected(rest, one, visit, &element)) return false;
    ++element.index;
  }
  if (element.index > 0) return true;
  const Place none{.above = place, .name = "*"};
  return visit(Selection::nothing, JsonValue(), &none);
}

}  // namespace bartizan
