#include "policy/explain/assume_definition.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/text/argument_pointer.h"
#include "policy/text/match.h"
#include "policy/text/qualified_name.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// The part of a schema that lists members and elements.
struct Shape {
  std::map<std::string, Shape> members = {};
  std::unique_ptr<Shape> elements = {};

  void add(std::span<const PointerSegment> pointer) {
    if (pointer.empty()) return;
    const PointerSegment& first = pointer.front();
    // A number can also be the index of an element.
    const bool is_index = !first.name.empty() && std::ranges::all_of(first.name, is_digit);
    if (first.every_element || is_index) {
      if (elements == nullptr) elements = std::make_unique<Shape>();
      elements->add(pointer.subspan(1));
    }
    if (!first.every_element) members[first.name].add(pointer.subspan(1));
  }

  /// `"items":{…},"properties":{"a":{}}`, without the braces around it.
  std::string keywords() const {
    std::string text;
    if (elements != nullptr) text = "\"items\":{" + elements->keywords() + "}";
    if (members.empty()) return text;
    std::string all;
    for (const auto& [name, below] : members) {
      if (!all.empty()) all += ',';
      append_json_string(all, name);
      all += ":{" + below.keywords() + "}";
    }
    if (!text.empty()) text += ',';
    return text + "\"properties\":{" + all + "}";
  }
};

void add_all(Shape& shape, const std::vector<ArgumentPredicate>& predicates) {
  for (const ArgumentPredicate& predicate : predicates)
    shape.add(parse_pointer(predicate.pointer));
}

Shape named_arguments(const Config& config, std::string_view name) {
  const auto matches = [name](const std::string& pattern) { return Glob(pattern).matches(name); };
  Shape shape;
  for (const ToolProfile& profile : config.tools) {
    if (matches(profile.pattern)) add_all(shape, profile.arguments);
  }
  for (const auto& [own, rule] : config.rules) {
    if (rule.target != RuleTarget::tools || !std::ranges::any_of(rule.patterns, matches)) continue;
    add_all(shape, rule.when.arguments);
    add_all(shape, rule.unless.arguments);
  }
  return shape;
}

}  // namespace

ToolDefinition assume_definition(const Config& config, std::string_view server,
                                 std::string_view tool) {
  const std::string known = named_arguments(config, QualifiedName(server, tool).view()).keywords();
  const Bytes entry(R"({"inputSchema":{"type":"object")" + (known.empty() ? "" : "," + known) +
                    "}}");
  JsonDocument document;
  const JsonValue value = document.read(entry).value_or(JsonValue());
  ToolDefinition definition;
  definition.name = tool;
  definition.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(value));
  return definition;
}

}  // namespace bartizan
