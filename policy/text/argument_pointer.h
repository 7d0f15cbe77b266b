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
  bool every_element = false;  ///< `*`: every element of an array; never a member.
};

/// Splits an RFC 6901 pointer into segments. `*` selects every element.
std::vector<PointerSegment> parse_pointer(std::string_view pointer);

/// Whether a pointer, in which `*` is any element, selects the place of another pointer.
bool selects(std::string_view pointer, std::string_view place);

/// A place in the arguments: a step, and the place before it. Lives on the stack of the traversal.
struct Place {
  const Place* above = nullptr;  ///< Null for a step from the arguments themselves.
  std::string_view name = {};    ///< The name of a member; `*` for the elements of an empty array.
  bool is_element = false;
  std::size_t index = 0;  ///< The index of an element.
};

/// The JSON pointer of a place. A pointer that is too long keeps its head, which a reader knows
/// from the schema. Cost: memory, so call it only for a refusal.
std::string pointer_text(const Place* place);

/// The member with that name, or the element with that index; absent if there is none.
JsonValue find_step(JsonValue value, std::string_view name);

/// The value at the end of a pointer.
enum class Selection : std::uint8_t {
  value,        ///< A value.
  nothing,      ///< No such member or element, or an empty array.
  other_shape,  ///< A value that cannot have such a member, or elements.
};

template <class Visit>
bool visit_elements(std::span<const PointerSegment> rest, JsonValue array, Visit&& visit,
                    const Place* place);

/// Follows a pointer and calls `visit(selection, value, place)` at the end of every branch, until
/// it returns false. Returns whether all calls returned true.
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

/// Follows a pointer from each element of an array and calls `visit(selection, value, place)` at
/// the end of every branch, until it returns false. Returns whether all calls returned true.
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
