#include "config/json_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/schema/string_format.h"

namespace bartizan {
namespace {

using Type = TomlValue::Type;

/// Members whose JSON TOML cannot fully express.
constexpr std::array<std::string_view, 3> kKeptAsText{"arguments", "params", "definition"};

class Converter {
 public:
  Converter(std::string_view text, Problems& problems) : problems_(problems) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') lines_.push_back(i + 1);
    }
  }

  TomlValue table(JsonValue object) {
    TomlValue table;
    table.where = place(object.range().begin);
    for (const JsonValue member : object) {
      const Position where = place(member.key_range().begin);
      const std::string key(member.key());
      const bool is_kept = std::ranges::find(kKeptAsText, key) != kKeptAsText.end();
      table.entries.push_back(
          {.key = key, .value = is_kept ? kept(member) : value(member), .where = where});
    }
    std::ranges::sort(table.entries, {}, &TomlEntry::key);
    return table;
  }

 private:
  Position place(std::size_t offset) const {
    const auto after = std::ranges::upper_bound(lines_, offset);
    return {.file = 0,
            .line = static_cast<std::uint32_t>(after - lines_.begin()),
            .column = static_cast<std::uint32_t>(offset - *std::prev(after) + 1)};
  }

  TomlValue make(JsonValue from, Type type) const {
    TomlValue value;
    value.type = type;
    value.where = place(from.range().begin);
    return value;
  }

  TomlValue kept(JsonValue json) const {
    TomlValue value = make(json, Type::text);
    value.text = json.raw();
    return value;
  }

  TomlValue value(JsonValue json) {
    switch (json.type()) {
      case JsonType::object:
        return table(json);
      case JsonType::array:
        return array(json);
      case JsonType::string:
        return json.key() == "time" ? moment(json) : text(json);
      case JsonType::number:
        return number(json);
      case JsonType::boolean: {
        TomlValue value = make(json, Type::boolean);
        value.boolean = json.boolean().value_or(false);
        return value;
      }
      case JsonType::null:
        break;
    }
    problems_.error(place(json.range().begin), "null says nothing here", "leave the member out");
    return make(json, Type::boolean);
  }

  TomlValue array(JsonValue json) {
    TomlValue value = make(json, Type::array);
    for (const JsonValue item : json)
      value.items.push_back(this->value(item));
    return value;
  }

  TomlValue text(JsonValue json) const {
    TomlValue value = make(json, Type::text);
    value.text = json.text();
    return value;
  }

  TomlValue number(JsonValue json) const {
    TomlValue value = make(json, json.integer().has_value() ? Type::integer : Type::number);
    value.integer = json.integer().value_or(0);
    value.number = json.number().value_or(0);
    return value;
  }

  /// A text that is not a date and time gives no moment. The getter reports that.
  TomlValue moment(JsonValue json) const {
    TomlValue value = make(json, Type::moment);
    if (!has_format(json.text(), StringFormat::date_time)) return value;
    const auto parsed = parse_toml(fmt::format("time = {}", json.text()), 0);
    if (parsed) value.moment = parsed->entries.front().value.moment;
    return value;
  }

  std::vector<std::size_t> lines_{0};  ///< Where each begins.
  Problems& problems_;
};

}  // namespace

std::optional<TomlValue> json_table(std::string_view text, Problems& problems) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  const Position start{.file = 0, .line = 1, .column = 1};
  if (!root.has_value()) {
    problems.error(start, fmt::format("this is not JSON: {}", error_text(root.error().code)));
    return std::nullopt;
  }
  if (!root->is(JsonType::object)) {
    problems.error(start, "a call is a JSON object");
    return std::nullopt;
  }
  return Converter(text, problems).table(*root);
}

}  // namespace bartizan
