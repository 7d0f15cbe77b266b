#include "fuzz/schema_generator.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace bartizan {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kSchemaDepth = 3;
/// Beyond the strings that valijson is trusted with.
constexpr std::size_t kTextBytes = 1024;

constexpr std::array kTypes{"string"sv, "integer"sv, "number"sv, "object"sv,
                            "array"sv,  "boolean"sv, "null"sv};
constexpr std::array kNames{"a"sv, "b"sv, "c"sv, "name"sv, "é"sv, "日本"sv, ""sv, "__proto__"sv};
/// Of one to four bytes each, one and two code points, some that JSON writes with an escape; none
/// begins a number.
constexpr std::array kPieces{"x"sv,  "ab"sv, "é"sv,   "日"sv, "𝒳"sv,        "e\u0301"sv,
                             "\n"sv, "\""sv, "\\/"sv, "\t"sv, "\u2028 y"sv, "\u007f"sv};
constexpr std::array kWhole{"0"sv,
                            "1"sv,
                            "2"sv,
                            "3"sv,
                            "4"sv,
                            "5"sv,
                            "6"sv,
                            "12"sv,
                            "-1"sv,
                            "-2"sv,
                            "-3"sv,
                            "-6"sv,
                            "-0"sv,
                            "100"sv,
                            "2147483648"sv,
                            "-2147483649"sv,
                            "9007199254740991"sv,
                            "-9007199254740991"sv};
constexpr std::array kEighths{"0"sv,     "0.5"sv,     "1"sv,    "1.5"sv,   "0.125"sv, "2.25"sv,
                              "-0.5"sv,  "-1.25"sv,   "3"sv,    "4"sv,     "5e-1"sv,  "25e-2"sv,
                              "0.1"sv,   "0.3"sv,     "1.1"sv,  "12.75"sv, "-7"sv,    "1e-7"sv,
                              "1.5E0"sv, "12.5e-1"sv, "-2.5"sv, "0.001"sv};
constexpr std::array kWholeDivisors{"2"sv, "1"sv, "3"sv, "4"sv, "5"sv, "7"sv, "12"sv};
constexpr std::array kEighthDivisors{"0.5"sv, "0.25"sv, "0.125"sv, "1.5"sv, "2.5"sv};

bool is_same(const JsonTree& left, const JsonTree& right) {
  if (left.type != right.type || left.values.size() != right.values.size()) return false;
  if (left.type == JsonType::number) return to_double(left) == to_double(right);
  if (left.type == JsonType::object) {
    return std::ranges::all_of(left.names, [&](const std::string& name) {
      const JsonTree* other = right.find(name);
      return other != nullptr && is_same(*left.find(name), *other);
    });
  }
  return left.text == right.text && std::ranges::equal(left.values, right.values, is_same);
}

}  // namespace

SchemaGenerator::SchemaGenerator(FuzzChoices& choices)
    : choices_(choices), numbers_(choices.below(2) == 0 ? Numbers::whole : Numbers::eighths) {}

std::string SchemaGenerator::number() {
  return std::string(numbers_ == Numbers::whole ? choices_.pick(kWhole) : choices_.pick(kEighths));
}

std::string SchemaGenerator::divisor() {
  return std::string(numbers_ == Numbers::whole ? choices_.pick(kWholeDivisors)
                                                : choices_.pick(kEighthDivisors));
}

std::string SchemaGenerator::text() {
  const std::size_t pieces = choices_.one_in(40) ? choices_.below(600) : choices_.below(6);
  std::string text;
  for (std::size_t i = 0; i < pieces && text.size() + 8 <= kTextBytes; ++i)
    text += choices_.pick(kPieces);
  return text;
}

std::string SchemaGenerator::name() {
  return std::string(choices_.pick(kNames));
}

JsonTree SchemaGenerator::any_value(std::size_t depth) {
  switch (choices_.below(depth == 0 ? 5 : 7)) {
    case 0:
      return {};
    case 1:
      return JsonTree::boolean_of(choices_.below(2));
    case 2:
    case 3:
      return JsonTree::number(number());
    case 4:
      return JsonTree::string(choices_.one_in(2) ? text() : name());
    case 5: {
      JsonTree array = JsonTree::array();
      for (std::size_t left = choices_.below(4); left > 0; --left)
        array.values.push_back(any_value(depth - 1));
      return array;
    }
    default: {
      JsonTree object = JsonTree::object();
      for (std::size_t left = choices_.below(4); left > 0; --left)
        object.add(name(), any_value(depth - 1));
      return object;
    }
  }
}

JsonTree SchemaGenerator::schema() {
  JsonTree schema = JsonTree::object();
  schema.add("$schema", JsonTree::string("http://json-schema.org/draft-07/schema#"));
  for (std::size_t left = 1 + choices_.below(5); left > 0; --left)
    add_keyword(schema, kSchemaDepth);
  return schema;
}

JsonTree SchemaGenerator::any_schema(std::size_t depth) {
  const std::size_t kind = choices_.below(16);
  if (depth == 0 || kind < 3) {
    JsonTree schema = JsonTree::object();
    if (kind == 1 && depth > 0) return schema;
    schema.add("type", types());
    return schema;
  }
  if (kind == 3) return JsonTree::boolean_of(choices_.below(2));
  return schema_with_keywords(depth);
}

JsonTree SchemaGenerator::schema_with_keywords(std::size_t depth) {
  JsonTree schema = JsonTree::object();
  for (std::size_t left = 1 + choices_.below(4); left > 0; --left)
    add_keyword(schema, depth);
  return schema;
}

void SchemaGenerator::add_keyword(JsonTree& schema, std::size_t depth) {
  switch (choices_.below(12)) {
    case 0:
    case 1:
      return schema.add("type", types());
    case 2:
      return add_choice_keyword(schema);
    case 3:
    case 4:
      return add_number_keyword(schema);
    case 5:
    case 6:
      return add_size_keyword(schema);
    case 7:
      return add_array_keyword(schema, depth - 1);
    case 8:
    case 9:
      return add_object_keyword(schema, depth - 1);
    default:
      return add_combination(schema, depth - 1);
  }
}

void SchemaGenerator::add_choice_keyword(JsonTree& schema) {
  if (choices_.one_in(3)) return schema.add("const", any_value(2));
  JsonTree choices = JsonTree::array();
  for (std::size_t left = 1 + choices_.below(4); left > 0; --left) {
    JsonTree choice = any_value(2);
    // The metaschema wants them to differ.
    const bool is_new = std::ranges::none_of(
        choices.values, [&](const JsonTree& other) { return is_same(other, choice); });
    if (is_new) choices.values.push_back(std::move(choice));
  }
  schema.add("enum", std::move(choices));
}

JsonTree SchemaGenerator::types() {
  if (!choices_.one_in(4)) return JsonTree::string(std::string(choices_.pick(kTypes)));
  JsonTree several = JsonTree::array();
  const std::size_t first = choices_.below(kTypes.size());
  const std::size_t count = 1 + choices_.below(3);
  // The dialect wants them to differ.
  for (std::size_t i = 0; i < count; ++i)
    several.values.push_back(
        JsonTree::string(std::string(kTypes[(first + i * 2) % kTypes.size()])));
  return several;
}

void SchemaGenerator::add_number_keyword(JsonTree& schema) {
  static constexpr std::array kBounds{"minimum"sv, "maximum"sv, "exclusiveMinimum"sv,
                                      "exclusiveMaximum"sv};
  if (choices_.one_in(4)) return schema.add("multipleOf", JsonTree::number(divisor()));
  schema.add(std::string(choices_.pick(kBounds)), JsonTree::number(number()));
}

void SchemaGenerator::add_size_keyword(JsonTree& schema) {
  static constexpr std::array kSizes{"minLength"sv, "maxLength"sv,     "minItems"sv,
                                     "maxItems"sv,  "maxProperties"sv, "minProperties"sv};
  const std::size_t size = choices_.one_in(30) ? choices_.below(700) : choices_.below(5);
  schema.add(std::string(choices_.pick(kSizes)), JsonTree::number(std::to_string(size)));
}

void SchemaGenerator::add_array_keyword(JsonTree& schema, std::size_t depth) {
  switch (choices_.below(6)) {
    case 0:
      return schema.add("uniqueItems", JsonTree::boolean_of(choices_.one_in(5) ? 1 : 0));
    case 1:
      return schema.add("contains", any_schema(depth));
    case 2:
      return schema.add("items", several_schemas(depth));
    case 3:
      return schema.add("additionalItems", any_schema(depth));
    default:
      return schema.add("items", any_schema(depth));
  }
}

JsonTree SchemaGenerator::several_names() {
  JsonTree names = JsonTree::array();
  const std::size_t first = choices_.below(kNames.size());
  const std::size_t count = choices_.below(4);
  for (std::size_t i = 0; i < count; ++i)
    names.values.push_back(JsonTree::string(std::string(kNames[(first + i) % kNames.size()])));
  return names;
}

void SchemaGenerator::add_object_keyword(JsonTree& schema, std::size_t depth) {
  switch (choices_.below(7)) {
    case 0:
      return schema.add("required", several_names());
    case 1:
      return schema.add("additionalProperties", any_schema(depth));
    case 2:
      return schema.add("propertyNames", any_schema(depth));
    case 3: {
      JsonTree dependencies = JsonTree::object();
      for (std::size_t left = 1 + choices_.below(2); left > 0; --left)
        dependencies.add(name(), choices_.one_in(2) ? any_schema(depth) : several_names());
      return schema.add("dependencies", std::move(dependencies));
    }
    default: {
      JsonTree properties = JsonTree::object();
      for (std::size_t left = 1 + choices_.below(4); left > 0; --left)
        properties.add(name(), any_schema(depth));
      return schema.add("properties", std::move(properties));
    }
  }
}

JsonTree SchemaGenerator::several_schemas(std::size_t depth) {
  JsonTree schemas = JsonTree::array();
  for (std::size_t left = 1 + choices_.below(3); left > 0; --left)
    schemas.values.push_back(any_schema(depth));
  return schemas;
}

void SchemaGenerator::add_combination(JsonTree& schema, std::size_t depth) {
  static constexpr std::array kSeveral{"anyOf"sv, "allOf"sv, "oneOf"sv};
  switch (choices_.below(5)) {
    case 0:
      return schema.add("not", any_schema(depth));
    case 1:
      schema.add("if", any_schema(depth));
      if (!choices_.one_in(3)) schema.add("then", any_schema(depth));
      if (!choices_.one_in(3)) schema.add("else", any_schema(depth));
      return;
    default:
      return schema.add(std::string(choices_.pick(kSeveral)), several_schemas(depth));
  }
}

}  // namespace bartizan
