// Values near a schema: what random ones would hardly ever be.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "fuzz/schema_generator.h"

namespace bartizan {
namespace {

constexpr std::size_t kElementsMax = 8;

/// A keyword's count, or what stands for it.
std::size_t count_of(const JsonTree& schema, std::string_view keyword, std::size_t otherwise) {
  const JsonTree* count = schema.find(keyword);
  return count == nullptr ? otherwise : static_cast<std::size_t>(to_double(*count));
}

/// Eighths, and whole numbers up to 2^53, in the shortest decimals that say them exactly.
std::string spelled(double number) {
  std::string text(32, ' ');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

bool has_any(const JsonTree& schema, std::initializer_list<std::string_view> keywords) {
  return std::ranges::any_of(
      keywords, [&](std::string_view keyword) { return schema.find(keyword) != nullptr; });
}

/// The type that a schema without `type` is probably about.
std::string_view likely_type(const JsonTree& schema, std::string_view otherwise) {
  if (has_any(schema, {"properties", "required", "dependencies", "propertyNames",
                       "additionalProperties", "minProperties", "maxProperties"}))
    return "object";
  if (has_any(schema, {"items", "contains", "uniqueItems", "minItems", "maxItems"})) return "array";
  if (has_any(schema, {"minLength", "maxLength"})) return "string";
  if (has_any(schema, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}))
    return "number";
  return otherwise;
}

}  // namespace

JsonTree SchemaGenerator::value_near(const JsonTree& schema) {
  JsonTree value = fitting(schema, 4);
  for (std::size_t left = choices_.below(3); left > 0; --left)
    change(value, 4);
  return value;
}

JsonTree SchemaGenerator::fitting(const JsonTree& schema, std::size_t depth) {
  if (schema.type != JsonType::object) return any_value(std::min<std::size_t>(depth, 2));
  if (const JsonTree* only = schema.find("const"); only != nullptr) return *only;
  const JsonTree* values = schema.find("enum");
  if (values != nullptr && !values->values.empty()) return choices_.pick(values->values);
  JsonTree value = fitting_type(schema, depth);
  if (depth > 0) fit_branch(schema, value, depth - 1);
  return value;
}

JsonTree SchemaGenerator::fitting_type(const JsonTree& schema, std::size_t depth) {
  const JsonTree* type = schema.find("type");
  if (type != nullptr && type->type == JsonType::array) type = &choices_.pick(type->values);
  const std::string_view name =
      type != nullptr ? std::string_view(type->text) : likely_type(schema, "");
  if (name == "object") return fitting_object(schema, depth);
  if (name == "array") return fitting_array(schema, depth);
  if (name == "string") return fitting_string(schema);
  if (name == "number" || name == "integer") return fitting_number(schema);
  if (name == "boolean") return JsonTree::boolean_of(choices_.below(2));
  if (name == "null") return {};
  return any_value(std::min<std::size_t>(depth, 2));
}

JsonTree SchemaGenerator::fitting_number(const JsonTree& schema) {
  const double step = numbers_ == Numbers::whole ? 1 : 0.125;
  double value = 0;
  bool is_bound = false;
  for (const std::string_view keyword :
       {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}) {
    const JsonTree* bound = schema.find(keyword);
    if (bound == nullptr || (is_bound && choices_.one_in(2))) continue;
    is_bound = true;
    value = std::round(to_double(*bound) / step) * step +
            step * (static_cast<double>(choices_.below(3)) - 1);
  }
  if (const JsonTree* divisor = schema.find("multipleOf"); divisor != nullptr) {
    const double factor = static_cast<double>(choices_.below(9)) - 2;
    value = is_bound && choices_.one_in(2)
                ? std::round(value / to_double(*divisor)) * to_double(*divisor)
                : factor * to_double(*divisor);
  } else if (!is_bound) {
    return JsonTree::number(number());
  }
  return std::abs(value) < 0x1p53 ? JsonTree::number(spelled(value)) : JsonTree::number(number());
}

JsonTree SchemaGenerator::fitting_string(const JsonTree& schema) {
  if (!has_any(schema, {"minLength", "maxLength"}))
    return JsonTree::string(choices_.one_in(2) ? name() : text());
  const std::size_t low = count_of(schema, "minLength", 0);
  std::size_t length = std::max(low, count_of(schema, "maxLength", low)) + choices_.below(3);
  length -= std::min<std::size_t>(length, 1);
  // One code point each, whatever its bytes; four bytes each stay below a kibibyte.
  static constexpr std::string_view kCharacters[]{"x", "é", "日", "𝒳"};
  const std::string_view character = choices_.pick(kCharacters);
  std::string text;
  for (std::size_t i = 0; i < length && text.size() + 4 <= 1024; ++i)
    text += i % 3 == 2 ? std::string_view("z") : character;
  return JsonTree::string(std::move(text));
}

JsonTree SchemaGenerator::fitting_array(const JsonTree& schema, std::size_t depth) {
  JsonTree array = JsonTree::array();
  if (depth == 0) return array;
  const JsonTree* items = schema.find("items");
  const JsonTree* contains = schema.find("contains");
  const std::size_t low = count_of(schema, "minItems", contains != nullptr ? 1 : 0);
  const std::size_t high = count_of(schema, "maxItems", low + 3);
  const std::size_t span = high > low ? high - low : 0;
  const std::size_t count =
      std::min(low + choices_.below(std::min(span, kElementsMax) + 1), kElementsMax);
  for (std::size_t i = 0; i < count; ++i) {
    const JsonTree* element = items;
    if (items != nullptr && items->type == JsonType::array)
      element = i < items->values.size() ? &items->values[i] : schema.find("additionalItems");
    if (contains != nullptr && (i == 0 || choices_.one_in(4))) element = contains;
    array.values.push_back(element == nullptr ? any_value(1) : fitting(*element, depth - 1));
  }
  return array;
}

JsonTree SchemaGenerator::fitting_object(const JsonTree& schema, std::size_t depth) {
  JsonTree object = JsonTree::object();
  if (depth == 0) return object;
  const JsonTree* properties = schema.find("properties");
  const JsonTree* others = schema.find("additionalProperties");
  const auto add = [&](const std::string& member) {
    const JsonTree* named = properties == nullptr ? nullptr : properties->find(member);
    if (named == nullptr) named = others;
    object.add(member, named == nullptr ? any_value(1) : fitting(*named, depth - 1));
  };
  if (const JsonTree* required = schema.find("required"); required != nullptr) {
    for (const JsonTree& member : required->values)
      add(member.text);
  }
  if (properties != nullptr) {
    for (const std::string& member : properties->names)
      if (!choices_.one_in(3)) add(member);
  }
  const std::size_t low = count_of(schema, "minProperties", choices_.below(3));
  for (std::size_t left = std::min(low, kElementsMax); object.values.size() < low && left > 0;
       --left)
    add(name());
  return object;
}

/// Makes a value fit one of the schemas beside its own too, or instead of it.
void SchemaGenerator::fit_branch(const JsonTree& schema, JsonTree& value, std::size_t depth) {
  for (const std::string_view keyword :
       {"allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependencies"}) {
    const JsonTree* branch = schema.find(keyword);
    if (branch == nullptr || branch->values.empty() || choices_.one_in(3)) continue;
    const bool is_several = keyword.ends_with("Of") || keyword == "dependencies";
    JsonTree fitted = fitting(is_several ? choices_.pick(branch->values) : *branch, depth);
    if (value.type != JsonType::object || fitted.type != JsonType::object) {
      if (!choices_.one_in(3)) value = std::move(fitted);
      continue;
    }
    for (std::size_t i = 0; i < fitted.values.size(); ++i)
      value.add(fitted.names[i], fitted.values[i]);
  }
}

void SchemaGenerator::change(JsonTree& value, std::size_t depth) {
  const bool is_container = value.type == JsonType::object || value.type == JsonType::array;
  if (is_container && depth > 0 && !value.values.empty() && !choices_.one_in(3))
    return change(value.values[choices_.below(value.values.size())], depth - 1);
  if (choices_.one_in(4)) {
    value = any_value(1);
  } else if (value.type == JsonType::object) {
    if (value.values.empty() || choices_.one_in(2)) return value.add(name(), any_value(1));
    value.remove(choices_.below(value.values.size()));
  } else if (value.type == JsonType::array) {
    if (value.values.empty()) return value.values.push_back(any_value(1));
    if (choices_.one_in(2)) return value.remove(choices_.below(value.values.size()));
    const JsonTree again = choices_.pick(value.values);
    value.values.push_back(again);
  } else if (value.type == JsonType::string && value.text.size() + 4 <= 1024) {
    value.text += choices_.one_in(2) ? "é" : "q";
  } else if (value.type == JsonType::number) {
    value.text = number();
  }
}

}  // namespace bartizan
