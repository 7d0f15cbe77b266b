#include "config/throwing_valijson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>

#include "config/config_schema.h"
#include "config/load/load_config.h"
#include "config/problems.h"
#include "config/read_document.h"

namespace bartizan {
namespace {

using Json = rapidjson::Value;
using Allocator = rapidjson::Document::AllocatorType;

Json json_text(std::string_view text, Allocator& allocator) {
  return Json(text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator);
}

std::string date_text(std::chrono::sys_days date) {
  const std::chrono::year_month_day day(date);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

/// A TOML value as JSON; dates are strings, as in editors. The depth is bounded by the parser.
Json to_json(const TomlValue& value, Allocator& allocator) {
  switch (value.type) {
    case TomlValue::Type::boolean:
      return Json(value.boolean);
    case TomlValue::Type::integer:
      return Json(value.integer);
    case TomlValue::Type::number:
      return Json(value.number);
    case TomlValue::Type::text:
      return json_text(value.text, allocator);
    case TomlValue::Type::date:
      return json_text(date_text(value.date), allocator);
    case TomlValue::Type::moment:
      return Json();
    case TomlValue::Type::array:
    case TomlValue::Type::table:
      break;
  }
  if (value.type == TomlValue::Type::array) {
    Json array(rapidjson::kArrayType);
    for (const TomlValue& item : value.items)
      array.PushBack(to_json(item, allocator), allocator);
    return array;
  }
  Json object(rapidjson::kObjectType);
  for (const TomlEntry& entry : value.entries) {
    object.AddMember(json_text(entry.key, allocator), to_json(entry.value, allocator), allocator);
  }
  return object;
}

/// Follows one step of valijson's path, `[name]` or `[3]`. Null if it leads nowhere.
const TomlValue* follow(const TomlValue& value, std::string_view step) {
  if (step.size() < 2 || step.front() != '[') return nullptr;
  step = step.substr(1, step.size() - 2);
  if (value.type == TomlValue::Type::table) {
    const TomlEntry* entry = find_entry(value, step);
    return entry == nullptr ? nullptr : &entry->value;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || index >= value.items.size()) return nullptr;
  return &value.items[index];
}

Position find_place(const TomlValue& root, const std::vector<std::string>& context) {
  const TomlValue* value = &root;
  for (std::size_t i = 1; i < context.size(); ++i) {
    const TomlValue* next = follow(*value, context[i]);
    if (next == nullptr) break;
    value = next;
  }
  return value->where;
}

/// valijson repeats a failure once for every table around it.
bool is_echo(std::string_view description) {
  static constexpr std::array<std::string_view, 4> kEchoes{
      "Failed to validate against schema associated", "Failed to validate against additional",
      "Failed to validate item", "Failed to validate against child schema"};
  return std::ranges::any_of(kEchoes,
                             [&](std::string_view echo) { return description.starts_with(echo); });
}

std::string path_text(const std::vector<std::string>& context) {
  std::string path;
  for (std::size_t i = 1; i < context.size(); ++i) {
    path += (i > 1 ? "." : "") + context[i].substr(1, context[i].size() - 2);
  }
  return path.empty() ? "the document" : path;
}

/// Throws the exceptions of valijson and RapidJSON.
void validate(const TomlValue& root, Problems& problems) {
  rapidjson::Document schema_json;
  const std::string_view schema_text = config_schema_text();
  schema_json.Parse(schema_text.data(), schema_text.size());
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::RapidJsonAdapter(schema_json), schema);

  rapidjson::Document document;
  const Json json = to_json(root, document.GetAllocator());
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  validator.validate(schema, valijson::adapters::RapidJsonAdapter(json), &results);
  for (const auto& error : results) {
    if (is_echo(error.description)) continue;
    problems.error(find_place(root, error.context),
                   fmt::format("{}: {}", quote(path_text(error.context)), error.description));
  }
}

std::vector<ConfigProblem> check_document(const Document& document, Problems& problems) {
  if (!document.is_complete) return problems.sorted();
  try {
    validate(document.root, problems);
  } catch (const std::exception& thrown) {
    problems.error({}, fmt::format("the schema could not be applied: {}", thrown.what()));
  }
  return problems.sorted();
}

}  // namespace

std::vector<ConfigProblem> check_against_schema(const std::filesystem::path& file) {
  Problems problems;
  const Document document = read_document(file, problems);
  return check_document(document, problems);
}

std::vector<ConfigProblem> check_text_against_schema(std::string_view text,
                                                     const std::string& name) {
  Problems problems;
  const Document document = read_document_text(text, name, problems);
  return check_document(document, problems);
}

}  // namespace bartizan
