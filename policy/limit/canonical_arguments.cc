#include "policy/limit/canonical_arguments.h"

#include <utility>
#include <vector>

#include "schemas/json/canonical_json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Null if the schema is not known. Such a call never passes `existence`.
const JsonSchema* input_schema(const ToolDefinition* tool) {
  if (tool == nullptr || tool->schemas == nullptr) return nullptr;
  return tool->schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
}

}  // namespace

std::string canonical_arguments(const Call& call) {
  const JsonSchema* schema = input_schema(call.facts.tool);
  // If a schema declares no argument, the server may read any.
  const bool is_open = schema == nullptr || !schema->declares_any();
  std::vector<JsonValue> declared;
  for (const JsonValue member : call.message.arguments) {
    const bool is_declared = is_open || schema->declares(pointer_below("", member.key()));
    if (is_declared) declared.push_back(member);
  }
  return canonical_object(std::move(declared), NumberForm::by_value);
}

}  // namespace bartizan
