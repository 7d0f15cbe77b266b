#include "policy/explain/partial_definition.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "schemas/json/json.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {
namespace {

/// Keywords that more members or elements could still satisfy, and those that negate a schema.
constexpr std::array<std::string_view, 13> kLeftOut{"contains",
                                                    "dependencies",
                                                    "dependentRequired",
                                                    "dependentSchemas",
                                                    "else",
                                                    "if",
                                                    "minContains",
                                                    "minItems",
                                                    "minProperties",
                                                    "not",
                                                    "oneOf",
                                                    "required",
                                                    "then"};
/// Keywords whose value has schemas under names that are not keywords.
constexpr std::array<std::string_view, 4> kNamedSchemas{"$defs", "definitions", "patternProperties",
                                                        "properties"};
/// Keywords whose value is a schema, or a list of schemas.
constexpr std::array<std::string_view, 8> kSchemas{
    "additionalItems",  "additionalProperties", "allOf", "anyOf", "items", "prefixItems",
    "unevaluatedItems", "unevaluatedProperties"};

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string partial_schema(JsonValue schema);

std::string each_partial(JsonValue schemas) {
  const bool is_list = schemas.is(JsonType::array);
  std::string text;
  for (const JsonValue schema : schemas) {
    if (!text.empty()) text += ',';
    if (!is_list) {
      append_json_string(text, schema.key());
      text += ':';
    }
    text += partial_schema(schema);
  }
  return is_list ? "[" + text + "]" : "{" + text + "}";
}

void add_member(std::string& members, std::string_view name, const std::string& value) {
  if (!members.empty()) members += ',';
  append_json_string(members, name);
  members += ':' + value;
}

/// Recursion: as deep as the document, which is bounded.
std::string partial_schema(JsonValue schema) {
  if (!schema.is(JsonType::object)) return std::string(schema.raw());
  std::string members;
  for (const JsonValue member : schema) {
    const std::string_view name = member.key();
    // Alternatives of `oneOf` may overlap for a part of the arguments and not for all of them.
    if (name == "oneOf" && !schema.find("anyOf")) {
      add_member(members, "anyOf", each_partial(member));
      continue;
    }
    if (has(kLeftOut, name)) continue;
    const bool is_list = member.is(JsonType::array);
    const bool is_named = member.is(JsonType::object) && has(kNamedSchemas, name);
    if (is_named || (is_list && has(kSchemas, name))) {
      add_member(members, name, each_partial(member));
    } else {
      add_member(members, name,
                 has(kSchemas, name) ? partial_schema(member) : std::string(member.raw()));
    }
  }
  return "{" + members + "}";
}

}  // namespace

ToolDefinition partial_definition(const ToolDefinition& definition) {
  ToolDefinition partial = definition;
  const bool is_judgeable = definition.schemas != nullptr &&
                            definition.schemas->is_usable(SchemaOptions::Untranslatable::leave_out);
  if (!is_judgeable) return partial;
  const Bytes listed(definition.raw);
  JsonDocument document;
  const JsonValue root = document.read(listed, kResponseLimits).value_or(JsonValue());
  if (!root.find("inputSchema")) return partial;
  const Bytes text(R"({"inputSchema":)" + partial_schema(root.find("inputSchema")) + "}");
  JsonDocument relaxed;
  const auto value = relaxed.read(text, kResponseLimits);
  if (!value.has_value()) return partial;
  partial.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*value));
  return partial;
}

}  // namespace bartizan
