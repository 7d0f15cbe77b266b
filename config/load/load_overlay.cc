#include "config/load/load_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/text_place.h"
#include "config/write_json.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "schemas/schema/schema_dialect.h"
#include "schemas/schema/string_format.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

/// Whether `pointer` starts with that token; if so, removes it.
bool take_token(std::string_view& pointer, std::string_view token) {
  const std::string step = pointer_below("", token);
  if (!pointer.starts_with(step)) return false;
  if (pointer.size() > step.size() && pointer[step.size()] != '/') return false;
  pointer.remove_prefix(step.size());
  return true;
}

/// Moves `value` one step along `pointer`. Returns the place of the key or element, or nothing if
/// it does not exist.
std::optional<Position> follow(const TomlValue*& value, std::string_view& pointer) {
  for (const TomlEntry& entry : value->entries) {
    if (!take_token(pointer, entry.key)) continue;
    value = &entry.value;
    return entry.where;
  }
  for (std::size_t at = 0; at < value->items.size(); ++at) {
    if (!take_token(pointer, std::to_string(at))) continue;
    value = &value->items[at];
    return value->where;
  }
  return std::nullopt;
}

/// The place of the innermost key on the way of `pointer`.
Position find_place(const TomlEntry& schema, std::string_view pointer) {
  const TomlValue* value = &schema.value;
  Position place = schema.where;
  while (!pointer.empty()) {
    const auto next = follow(value, pointer);
    if (!next) break;
    place = *next;
  }
  return place;
}

std::optional<SchemaError> find_flaw(std::string_view text) {
  auto compiled =
      JsonSchema::compile(text, metaschemas(), {.unknown = SchemaOptions::Unknown::refuse});
  if (compiled.has_value()) return std::nullopt;
  return std::move(compiled).error();
}

/// The likely intended keyword or format, for an unknown one.
std::string find_hint(const SchemaError& error) {
  if (error.flaw != SchemaFlaw::unknown_keyword) return {};
  const std::string_view pointer = error.pointer;
  const std::string_view keyword = pointer.substr(pointer.rfind('/') + 1);
  if (keyword == "format") return "asserted are " + listed(string_format_names());
  const std::vector<std::string_view> known = known_keywords();
  // A known keyword stands in a place where it has no meaning, as the message tells.
  const bool is_known = std::ranges::find(known, keyword) != known.end();
  return is_known ? std::string() : hint_near(keyword, known);
}

/// `cannot be used: not a number at "/properties/size/minimum"`
std::string describe(const SchemaError& error) {
  const std::string_view why = error.detail.empty() ? text(error.flaw) : error.detail;
  if (error.pointer.empty()) return fmt::format("cannot be used: {}", why);
  return fmt::format("cannot be used: {} at {}", why, quote(error.pointer));
}

std::string load_table(const TomlEntry& schema, Problems& problems) {
  std::string json = write_json(schema.value, problems);
  if (json.empty()) return {};
  const auto flaw = find_flaw(json);
  if (!flaw) return json;
  problems.error(find_place(schema, flaw->pointer), "the schema " + describe(*flaw),
                 find_hint(*flaw));
  return {};
}

std::string load_file(const std::string& path, const Position& where, const SchemaFiles& files,
                      Problems& problems) {
  const auto file = files.find(path);
  if (file == files.end()) return {};
  const auto flaw = find_flaw(file->second);
  if (!flaw) return file->second;
  problems.error(where,
                 fmt::format("the schema in {}{} {}", quote(path),
                             describe_place(file->second, flaw->offset), describe(*flaw)),
                 find_hint(*flaw));
  return {};
}

}  // namespace

Overlay load_overlay(TableReader& profile, const SchemaFiles& files) {
  const TomlEntry* schema = profile.find("schema");
  if (schema == nullptr) return {};
  Problems& problems = profile.problems();
  if (schema->value.type == Type::table) {
    return {.text = load_table(*schema, problems), .where = schema->where};
  }
  if (const auto path = named_schema_file(schema->value, problems)) {
    return {.text = load_file(*path, schema->value.where, files, problems), .where = schema->where};
  }
  problems.error(schema->value.where, "\"schema\" must be a table or a file",
                 "write { … }, or \"file:PATH\"");
  return {};
}

}  // namespace bartizan
