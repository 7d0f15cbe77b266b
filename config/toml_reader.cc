#include "config/toml_reader.h"

#include <algorithm>
#include <optional>

// Hostile text must not throw through our functions, and nothing here writes TOML.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace bartizan {
namespace {

using Type = TomlValue::Type;

constexpr int kNestingMax = 32;
constexpr int kKeyPartsMax = 32;

Position position(const toml::source_region& region, std::uint32_t file) {
  return {.file = file, .line = region.begin.line, .column = region.begin.column};
}

/// Skips one string literal that begins at `at`; answers the offset behind it.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.size() - at >= 3 && text[at + 1] == quote && text[at + 2] == quote;
  if (is_long) {
    const std::string close(3, quote);
    at += 3;
    while (at < text.size() && !text.substr(at).starts_with(close)) {
      at += (text[at] == '\\' && quote == '"') ? 2 : 1;
    }
    return std::min(at + 3, text.size());
  }
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
    if (text[at] == '\\' && quote == '"') ++at;
  }
  return std::min(at + 1, text.size());
}

/// The place of the first dotted key with too many parts. Counts dots that no `=`, comma or line
/// end separates, outside strings and comments: an over-estimate that no sane document reaches.
std::optional<Position> find_deep_key(std::string_view text, std::uint32_t file) {
  int dots = 0;
  Position where{.file = file, .line = 1, .column = 1};
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = skip_string(text, at);
      where.line += static_cast<std::uint32_t>(std::ranges::count(text.substr(at, end - at), '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '\n') ++where.line;
    if (c == '\n' || c == ',' || c == '=') dots = 0;
    if (c == '.' && ++dots >= kKeyPartsMax) return where;
    ++at;
  }
  return std::nullopt;
}

std::unexpected<TomlError> nested_too_deep(Position where) {
  return std::unexpected(TomlError{where, "values are nested more than 32 deep"});
}

std::expected<TomlValue, TomlError> convert(const toml::node& node, std::uint32_t file, int depth);

std::expected<TomlValue, TomlError> convert_array(const toml::array& array, std::uint32_t file,
                                                  int depth) {
  TomlValue value;
  value.type = Type::array;
  for (const toml::node& element : array) {
    auto item = convert(element, file, depth + 1);
    if (!item) return std::unexpected(item.error());
    value.items.push_back(std::move(*item));
  }
  return value;
}

std::expected<TomlValue, TomlError> convert_table(const toml::table& table, std::uint32_t file,
                                                  int depth) {
  TomlValue value;
  for (const auto& [key, node] : table) {
    auto item = convert(node, file, depth + 1);
    if (!item) return std::unexpected(item.error());
    value.entries.push_back({.key = std::string(key.str()),
                             .value = std::move(*item),
                             .where = position(key.source(), file)});
  }
  return value;
}

std::chrono::sys_days convert_date(const toml::date& date) {
  return std::chrono::sys_days(std::chrono::year_month_day(
      std::chrono::year(date.year), std::chrono::month(date.month), std::chrono::day(date.day)));
}

TomlValue convert_scalar(const toml::node& node) {
  TomlValue value;
  value.type = Type::moment;
  if (const auto* text = node.as_string()) {
    value.type = Type::text;
    value.text = text->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.type = Type::boolean;
    value.boolean = flag->get();
  } else if (const auto* whole = node.as_integer()) {
    value.type = Type::integer;
    value.integer = whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.type = Type::number;
    value.number = real->get();
  } else if (const auto* date = node.as_date()) {
    value.type = Type::date;
    value.date = convert_date(date->get());
  }
  return value;
}

std::expected<TomlValue, TomlError> convert(const toml::node& node, std::uint32_t file, int depth) {
  const Position where = position(node.source(), file);
  if (depth > kNestingMax) return nested_too_deep(where);
  std::expected<TomlValue, TomlError> value;
  if (const auto* array = node.as_array()) {
    value = convert_array(*array, file, depth);
  } else if (const auto* table = node.as_table()) {
    value = convert_table(*table, file, depth);
  } else {
    value = convert_scalar(node);
  }
  if (value) value->where = where;
  return value;
}

}  // namespace

const TomlEntry* find_entry(const TomlValue& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &TomlEntry::key);
  return found == table.entries.end() ? nullptr : &*found;
}

std::string_view type_name(TomlValue::Type type) {
  switch (type) {
    case TomlValue::Type::boolean:
      return "true or false";
    case TomlValue::Type::integer:
      return "an integer";
    case TomlValue::Type::number:
      return "a float";
    case TomlValue::Type::text:
      return "a string";
    case TomlValue::Type::date:
      return "a date";
    case TomlValue::Type::moment:
      return "a time";
    case TomlValue::Type::array:
      return "an array";
    case TomlValue::Type::table:
      return "a table";
  }
  return "a value";
}

std::expected<TomlValue, TomlError> parse_toml(std::string_view text, std::uint32_t file) {
  const Position start{.file = file, .line = 1, .column = 1};
  if (text.size() > kConfigFileBytesMax) {
    return std::unexpected(TomlError{start, "the file is larger than 4 MiB"});
  }
  if (const auto deep = find_deep_key(text, file)) {
    return std::unexpected(TomlError{*deep, "a dotted key has more than 32 parts"});
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return std::unexpected(TomlError{position(parsed.error().source(), file),
                                     std::string(parsed.error().description())});
  }
  return convert(parsed.table(), file, 0);
}

}  // namespace bartizan
