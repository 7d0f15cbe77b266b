#include "gateway/command/config_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "config/config_schema.h"
#include "gateway/command/man_text.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// The schema is trusted, and larger than a request may be.
constexpr JsonLimits kSchemaLimits{.bytes_max = std::size_t{4} << 20, .values_max = 100'000};

/// The placeholder for a name that the operator chooses.
constexpr std::string_view kAnyName = "NAME";

/// A JSON value as TOML on one line.
std::string toml_of(JsonValue value) {
  std::vector<std::string> parts;
  switch (value.type()) {
    case JsonType::object:
      for (const JsonValue member : value)
        parts.push_back(fmt::format("{} = {}", member.key(), toml_of(member)));
      return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
    case JsonType::array:
      for (const JsonValue element : value)
        parts.push_back(toml_of(element));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    default:
      // Strings, numbers and booleans of the schema are the same in both.
      return std::string(value.raw());
  }
}

std::string plain_type(std::string_view type) {
  if (type == "string") return "text";
  if (type == "integer") return "whole number";
  if (type == "object") return "table";
  return std::string(type);
}

std::string type_of(JsonValue schema);

std::string types_of(JsonValue alternatives) {
  std::vector<std::string> types;
  for (const JsonValue one : alternatives) {
    const std::string type = one.is(JsonType::string) ? plain_type(one.text()) : type_of(one);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  return fmt::format("{}", fmt::join(types, " or "));
}

std::string range_of(JsonValue schema) {
  const auto least = schema.find("minimum").integer();
  const auto most = schema.find("maximum").integer();
  if (!least || !most) return "";
  return fmt::format(", {} to {}", *least, *most);
}

/// A value's type, for people: `x-type` if the schema's own keywords are less precise.
std::string type_of(JsonValue schema) {
  if (const JsonValue choices = schema.find("enum")) {
    std::vector<std::string> values;
    for (const JsonValue choice : choices)
      values.emplace_back(choice.raw());
    return fmt::format("{}", fmt::join(values, " or "));
  }
  if (const JsonValue alternatives = schema.find("anyOf")) return types_of(alternatives);
  const JsonValue type = schema.find("type");
  if (type.is(JsonType::array)) return types_of(type);
  if (type.text() == "array") {
    const JsonValue items = schema.find("items");
    if (const JsonValue kind = schema.find("x-type")) return fmt::format("list of {}", kind.text());
    return "list of " + type_of(items);
  }
  if (const JsonValue kind = schema.find("x-type")) return std::string(kind.text());
  if (schema.find("format").text() == "date") return "date";
  return plain_type(type.text()) + range_of(schema);
}

bool is_table(JsonValue schema) {
  if (schema.find("x-inline").boolean().value_or(false)) return false;
  return schema.find("type").text() == "object";
}

/// Collects tables, outer ones first.
class Gathering {
 public:
  void add_table(const std::string& name, JsonValue schema) {
    const std::size_t place = tables_.size();
    tables_.push_back({name, std::string(schema.find("description").text())});
    const JsonValue required = schema.find("required");
    std::vector<std::pair<std::string, JsonValue>> below;
    for (const JsonValue property : schema.find("properties")) {
      const std::string key(property.key());
      if (is_table(property)) {
        below.emplace_back(key, property);
      } else {
        tables_[place].keys.push_back(key_of(key, property, is_in(required, key)));
      }
    }
    const JsonValue any = schema.find("additionalProperties");
    if (any.is(JsonType::object)) {
      if (is_table(any)) {
        below.emplace_back(kAnyName, any);
      } else {
        tables_[place].keys.push_back(key_of(std::string(kAnyName), any, false));
      }
    }
    for (const auto& [key, table] : below)
      add_table(name.empty() ? key : name + '.' + key, table);
    // A table with only sub-tables needs no entry.
    const bool is_shell = tables_[place].keys.empty() && !below.empty();
    if (!is_shell) return;
    if (tables_.size() > place + 1 && tables_[place + 1].text.empty()) {
      tables_[place + 1].text = tables_[place].text;
    }
    if (!name.empty() || tables_[place].text.empty()) {
      tables_.erase(tables_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  std::vector<TableReference> take() { return std::move(tables_); }

 private:
  static bool is_in(JsonValue names, std::string_view name) {
    return std::ranges::any_of(names, [name](JsonValue one) { return one.text() == name; });
  }

  static KeyReference key_of(const std::string& key, JsonValue schema, bool is_required) {
    KeyReference reference{.key = key, .type = type_of(schema), .fallback = ""};
    if (const JsonValue same = schema.find("$ref")) {
      reference.type = "table";
      reference.text = "As in " + pointer_name(same.text()) + ".";
    }
    if (const JsonValue text = schema.find("description")) reference.text = text.text();
    if (const JsonValue fallback = schema.find("default")) reference.fallback = toml_of(fallback);
    if (is_required) reference.fallback = "required";
    const JsonValue examples = schema.find("examples");
    if (examples.size() > 0) reference.example = toml_of(*examples.begin());
    return reference;
  }

  /// `#/properties/rule/additionalProperties/properties/when` → `rule.NAME.when`.
  static std::string pointer_name(std::string_view pointer) {
    std::string name;
    while (!pointer.empty()) {
      const std::size_t slash = pointer.find('/');
      const std::string_view part = pointer.substr(0, slash);
      pointer.remove_prefix(slash == pointer.npos ? pointer.size() : slash + 1);
      if (part == "#" || part == "properties") continue;
      if (!name.empty()) name += '.';
      name += part == "additionalProperties" ? kAnyName : part;
    }
    return '[' + name + ']';
  }

  std::vector<TableReference> tables_;
};

/// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '|') out += '\\';
    out += letter;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

/// A paragraph in lines of at most 98 columns.
std::string wrapped(std::string_view text) {
  constexpr std::size_t kColumns = 98;
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const bool is_full = column > 0 && column + 1 + end > kColumns;
    if (column > 0) out += is_full ? '\n' : ' ';
    out += text.substr(0, end);
    column = is_full || column == 0 ? end : column + 1 + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string title_of(const TableReference& table) {
  return table.name.empty() ? "Top of the file" : '[' + table.name + ']';
}

}  // namespace

Result<std::vector<TableReference>> config_reference() {
  const Bytes bytes(config_schema_text());
  JsonDocument document;
  const auto schema = document.read(bytes, kSchemaLimits);
  if (!schema.has_value()) return std::unexpected(schema.error());
  Gathering gathering;
  gathering.add_table("", *schema);
  return gathering.take();
}

std::string reference_page(const std::vector<TableReference>& tables) {
  std::string page =
      "# Configuration reference\n\n"
      "Every table and key of `bartizan.toml`. This page is generated from\n"
      "[config.schema.json](../config/config.schema.json) by `bartizan manual reference`; editors\n"
      "that know JSON Schema complete and check the file with it. `NAME` is a name that you "
      "choose.\n"
      "A file with every key and values of a real gateway is [full.toml](../config/full.toml).\n\n"
      "- A **duration** is a whole number and `ms`, `s`, `m`, `min`, `h` or `d`: `\"30s\"`.\n"
      "- A **size** is a whole number and `B`, `KiB`, `MiB` or `GiB`: `\"512 MiB\"`.\n"
      "- A **rate** is a count and a window, `s`, `min`, `h` or `d`: `\"600/min\"`.\n"
      "- A **secret** is never written here. It is named: `\"file:PATH\"` or `\"env:NAME\"`.\n"
      "- A **glob** has `*` for any characters: `\"files/read_*\"`.\n"
      "- Relative paths start from the folder of the file that holds them.\n";
  for (const TableReference& table : tables) {
    page += fmt::format("\n## {}\n", title_of(table));
    if (!table.text.empty()) page += fmt::format("\n{}\n", wrapped(table.text));
    if (table.keys.empty()) continue;
    page += "\n| key | type | default | example | meaning |\n|---|---|---|---|---|\n";
    for (const KeyReference& key : table.keys) {
      page += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.key, cell(key.type),
                          key.fallback == "required" ? key.fallback : code(key.fallback),
                          code(key.example), cell(key.text));
    }
  }
  return page;
}

std::string reference_manual(const std::vector<TableReference>& tables) {
  std::string page = man_head("BARTIZAN.TOML", 5, "File Formats");
  page +=
      ".SH NAME\nbartizan.toml \\- configuration of the MCP gateway bartizan\n"
      ".SH DESCRIPTION\n"
      "The configuration is one TOML file, and those that it includes.\n"
      ".B bartizan check FILE\nreports everything that is wrong with it.\n"
      "NAME is a name that you choose. A duration is a whole number and ms, s, m, min, h or d.\n"
      "A size is a whole number and B, KiB, MiB or GiB. A rate is a count and a window, such as\n"
      "600/min. A secret is named, file:PATH or env:NAME, and never written into the file.\n"
      "Relative paths start from the folder of the file that holds them.\n"
      ".SH TABLES\n";
  for (const TableReference& table : tables) {
    page += fmt::format(".SS {}\n", man_text(title_of(table)));
    if (!table.text.empty()) page += man_text(table.text) + '\n';
    for (const KeyReference& key : table.keys) {
      page +=
          fmt::format(".TP\n.BR {} \" = \" \\fI{}\\fR\n", man_text(key.key), man_word(key.type));
      page += man_text(key.text) + '\n';
      if (key.fallback == "required") {
        page += "Required.\n";
      } else if (!key.fallback.empty()) {
        page += fmt::format("Default: {}.\n", man_text(key.fallback));
      }
      if (!key.example.empty()) page += fmt::format("Example: {}.\n", man_text(key.example));
    }
  }
  page += ".SH SEE ALSO\n.BR bartizan (1)\n";
  return page;
}

}  // namespace bartizan
