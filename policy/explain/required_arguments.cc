#include "policy/explain/required_arguments.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Whether the value has one meaning whatever its spelling: a call that has it is judged like one
/// with any other spelling.
bool is_plain(JsonValue value) {
  return value.is(JsonType::string) || value.is(JsonType::boolean) || value.is(JsonType::null) ||
         value.integer().has_value();
}

/// What `const` or `enum` takes; empty where neither is there, or a value is not plain.
std::vector<std::string> named_values(JsonValue property, bool has_const) {
  const JsonValue constant = has_const ? property.find("const") : JsonValue();
  std::vector<std::string> values;
  if (constant) {
    if (is_plain(constant)) values.emplace_back(constant.raw());
    return values;
  }
  const JsonValue named = property.find("enum");
  if (!named.is(JsonType::array)) return values;
  for (const JsonValue value : named) {
    if (!is_plain(value)) return {};
    values.emplace_back(value.raw());
  }
  return values;
}

/// A value of a type without members and elements.
std::string sample_of(std::string_view type) {
  if (type == "string") return "\"x\"";
  if (type == "integer" || type == "number") return "1";
  if (type == "boolean") return "true";
  return type == "null" ? "null" : "";
}

std::string sample_of(JsonValue type) {
  if (type.is(JsonType::string)) return sample_of(type.text());
  std::string sample;
  for (const JsonValue one : type) {
    sample = sample_of(one.text());
    if (sample.empty()) return {};
  }
  return sample;
}

}  // namespace

std::vector<RequiredArgument> required_arguments(const ToolDefinition& definition,
                                                 JsonValue given) {
  std::vector<RequiredArgument> required;
  const Bytes bytes{std::string_view(definition.raw)};
  JsonDocument document;
  const JsonValue root = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const JsonValue schema = root.find("inputSchema");
  // Beside a reference, early drafts judge nothing else; draft-04 knows no `const`.
  if (!schema.is(JsonType::object) || schema.find("$ref")) return required;
  const bool has_const = !schema.find("$schema").text().contains("draft-04");
  const JsonValue properties = schema.find("properties");
  for (const JsonValue name : schema.find("required")) {
    const JsonValue property = properties.find(name.text());
    if (given.find(name.text()) || !property.is(JsonType::object) || property.find("$ref")) {
      continue;
    }
    required.push_back({.name = std::string(name.text()),
                        .values = named_values(property, has_const),
                        .sample = sample_of(property.find("type"))});
    RequiredArgument& argument = required.back();
    if (argument.sample.empty() && !argument.values.empty()) {
      argument.sample = argument.values.front();
    }
  }
  return required;
}

std::string with_argument(const std::string& arguments, const std::string& name,
                          const std::string& value) {
  std::string text = arguments.substr(0, arguments.rfind('}'));
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (text[last] != '{') text += ',';
  append_json_string(text, name);
  return text + ':' + value + '}';
}

std::vector<std::string> combined_arguments(const std::string& arguments,
                                            const std::vector<RequiredArgument>& required,
                                            std::size_t most) {
  std::vector<std::string> all{arguments};
  for (const RequiredArgument& argument : required) {
    if (argument.values.empty()) continue;
    if (all.size() * argument.values.size() > most) return {};
    std::vector<std::string> longer;
    for (const std::string& one : all) {
      for (const std::string& value : argument.values)
        longer.push_back(with_argument(one, argument.name, value));
    }
    all = std::move(longer);
  }
  if (all.size() == 1 && all.front() == arguments) return {};
  return all;
}

}  // namespace bartizan
