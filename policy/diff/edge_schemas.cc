#include "policy/diff/edge_schemas.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "policy/diff/diff_scope.h"
#include "policy/diff/edge_values.h"
#include "policy/text/argument_pointer.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

/// The most values of one list in a schema that are tried for one argument.
constexpr std::size_t kNamedMax = 16;

/// The schema that a schema refers to within its own document; itself without a reference.
JsonValue referred(JsonValue root, JsonValue schema) {
  constexpr int kStepsMax = 8;  // It may refer to itself.
  for (int step = 0; step < kStepsMax && schema.find("$ref").text().starts_with("#/"); ++step)
    schema = root.at_pointer(schema.find("$ref").text().substr(1));
  return schema;
}

/// The schema of the values at a pointer, as far as keywords that name members lead there.
JsonValue schema_at(JsonValue root, const std::string& pointer) {
  JsonValue schema = referred(root, root);
  for (const PointerSegment& segment : parse_pointer(pointer)) {
    const bool is_element = segment.every_element || std::ranges::all_of(segment.name, is_digit);
    const JsonValue member = schema.find("properties").find(segment.name);
    schema = referred(root, !member && is_element ? schema.find("items") : member);
  }
  return schema;
}

/// The input schema of a pinned definition.
std::string input_schema_of(const PinnedTool& pinned) {
  const Bytes bytes{std::string_view(pinned.definition)};
  JsonDocument document;
  const JsonValue entry = document.read(bytes, kResponseLimits).value_or(JsonValue());
  return std::string(entry.find("inputSchema").raw());
}

std::set<std::string> schemas_of(const Config& config, const DiffTarget& target) {
  std::set<std::string> texts;
  if (const PinnedTool* pinned = find_pin(config, target)) texts.insert(input_schema_of(*pinned));
  for (const ToolProfile* profile : profiles_about(config, target))
    texts.insert(profile->schema);
  return texts;
}

}  // namespace

EdgeSchemas::EdgeSchemas(const Config& older, const Config& newer, const DiffTarget& target) {
  if (target.kind != TargetKind::tool) return;
  const std::set<std::string> before = schemas_of(older, target);
  const std::set<std::string> after = schemas_of(newer, target);
  are_the_same_ = before == after;
  for (const auto* texts : {&before, &after}) {
    for (const std::string& text : *texts)
      add(text);
  }
}

void EdgeSchemas::add(const std::string& text) {
  if (text.empty() || std::ranges::find(texts_, text) != texts_.end()) return;
  auto compiled = JsonSchema::compile(text, metaschemas(),
                                      {.untranslatable = SchemaOptions::Untranslatable::leave_out});
  // Nobody may call a tool with a schema that does not compile, whatever the arguments.
  if (!compiled.has_value()) return;
  schemas_.push_back(*std::move(compiled));
  texts_.push_back(text);
  static constexpr std::array<std::string_view, 8> kTying{
      "if", "allOf", "anyOf", "oneOf", "not", "dependentSchemas", "dependencies", "$ref"};
  const Bytes bytes{std::string_view(text)};
  JsonDocument document;
  const JsonValue schema = document.read(bytes, kResponseLimits).value_or(JsonValue());
  ties_arguments_ = ties_arguments_ || std::ranges::any_of(kTying, [schema](std::string_view name) {
                      return static_cast<bool>(schema.find(name));
                    });
}

std::vector<std::string> EdgeSchemas::named_values(const std::string& pointer) const {
  std::vector<std::string> values;
  for (const std::string& text : texts_) {
    const Bytes bytes{std::string_view(text)};
    JsonDocument document;
    const JsonValue root = document.read(bytes, kResponseLimits).value_or(JsonValue());
    const JsonValue schema = schema_at(root, pointer);
    for (const std::string_view name : {"const", "default"}) {
      if (const JsonValue value = schema.find(name)) values.emplace_back(value.raw());
    }
    for (const std::string_view name : {"enum", "examples"}) {
      std::size_t count = 0;
      for (const JsonValue value : schema.find(name)) {
        if (++count > kNamedMax) break;
        values.emplace_back(value.raw());
      }
    }
  }
  return values;
}

std::vector<std::string> EdgeSchemas::judge(const std::string& pointer,
                                            const std::string& json) const {
  const std::string arguments = arguments_with({{pointer, json}});
  const Bytes bytes{std::string_view(arguments)};
  JsonDocument document;
  const JsonValue value = document.read(bytes).value_or(JsonValue());
  // Formats are asserted, as by a profile. This adds the same violations under either policy, and
  // removes none.
  const ValidationOptions options{.violations_max = 64,
                                  .formats = ValidationOptions::Formats::assert_them};
  std::vector<std::string> wrong;
  for (const JsonSchema& schema : schemas_) {
    for (const SchemaViolation& violation : schema.judge(value, options).violations)
      wrong.push_back(violation.pointer + " " + violation.keyword + " " + violation.expected);
    wrong.emplace_back();  // Separates the violations of two schemas.
  }
  return wrong;
}

}  // namespace bartizan
