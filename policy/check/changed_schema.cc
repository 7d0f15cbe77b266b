#include "policy/check/changed_schema.h"

#include <algorithm>

namespace bartizan {
namespace {

using Changes = std::vector<PropertyChange>;

/// Appends `KEY:VALUE`, or a value alone, to what an object or array has.
void add(std::string& out, std::string_view key, std::string_view value) {
  if (!out.empty()) out += ',';
  if (!key.empty()) {
    out += key;
    out += ':';
  }
  out += value;
}

std::string properties(JsonValue properties, std::string_view bytes, const Changes& changes) {
  std::string out;
  for (const JsonValue property : properties) {
    const auto found = std::ranges::find(changes, property.key(), &PropertyChange::name);
    const bool is_known = found != changes.end();
    if (is_known && found->is_left_out) continue;
    const bool is_below = is_known && property.is(JsonType::object);
    add(out, property.key_range().of(bytes),
        is_below ? changed_schema(property, bytes, found->members) : std::string(property.raw()));
  }
  return "{" + out + "}";
}

std::string required(JsonValue names, const Changes& changes) {
  std::string out;
  for (const JsonValue name : names) {
    const auto found = std::ranges::find(changes, name.text(), &PropertyChange::name);
    const bool is_known = name.is(JsonType::string) && found != changes.end();
    if (is_known && found->is_left_out) continue;
    add(out, "", name.raw());
  }
  return "[" + out + "]";
}

}  // namespace

std::string changed_schema(JsonValue schema, std::string_view bytes,
                           const std::vector<PropertyChange>& changes) {
  std::string out;
  for (const JsonValue member : schema) {
    std::string value(member.raw());
    if (member.key() == "properties" && member.is(JsonType::object)) {
      value = properties(member, bytes, changes);
    } else if (member.key() == "required" && member.is(JsonType::array)) {
      value = required(member, changes);
    }
    add(out, member.key_range().of(bytes), value);
  }
  return "{" + out + "}";
}

}  // namespace bartizan
