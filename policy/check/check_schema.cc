#include "policy/check/check_schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/check/double_copy.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_pointer.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {
namespace {

/// What a model is told of a member that it should not send.
constexpr std::string_view kReservedName = "another name; this one has a meaning in JavaScript";

Decision refuse(Reason reason, std::vector<SchemaViolation> violations) {
  Decision decision = Decision::deny(reason);
  if (!violations.empty()) decision.pointer = violations.front().pointer;
  decision.violations = std::move(violations);
  return decision;
}

/// Refuses what does not fit; the reasons are looked for only then.
Decision hold_against(const JsonSchema& schema, JsonValue value, const ValidationOptions& options,
                      Reason reason) {
  switch (schema.fit(value, options)) {
    case SchemaFit::fits:
      return Decision::pass();
    case SchemaFit::too_costly:
      return Decision::deny(Reason::schema_too_costly);
    case SchemaFit::misfits:
      break;
  }
  return refuse(reason, schema.judge(value, options).violations);
}

Decision check_reserved(const JsonSchema& schema, JsonValue arguments,
                        const ValidationOptions& options) {
  const std::vector<JsonValue> reserved = find_reserved_members(arguments);
  if (reserved.empty()) return Decision::pass();
  const bool are_too_many = reserved.size() > limits::reserved_members_max;
  const JsonValue unnamed =
      are_too_many ? reserved.front() : schema.find_unnamed(arguments, reserved, options);
  if (!unnamed) return Decision::pass();
  return refuse(Reason::reserved_member, {{.pointer = pointer_to(arguments, unnamed),
                                           .keyword = "propertyNames",
                                           .expected = std::string(kReservedName)}});
}

/// Holds a result against a schema as it is written, and as programs read it whose numbers are
/// doubles: one that fits in one reading only does not fit.
Decision hold_both_against(const JsonSchema& schema, JsonValue content,
                           const ValidationOptions& options) {
  Decision decision = hold_against(schema, content, options, Reason::result_invalid);
  if (decision.denies()) return decision;
  const std::optional<DoubleCopy> copy = copy_as_doubles(content);
  if (!copy) return decision;
  const Bytes bytes{std::string_view(copy->text)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root.has_value()) return Decision::deny(Reason::result_invalid);
  return hold_against(schema, *root, options, Reason::result_invalid);
}

/// Whether the result is a question to the client, and the call's own is still to come.
bool is_unfinished(ProtocolVersion version, JsonValue result) {
  return era(version) == Era::modern && result.find("resultType").text() == "input_required";
}

Decision lacks_structured_content() {
  return refuse(Reason::result_invalid,
                {{.pointer = "", .keyword = "required", .expected = "structured content"}});
}

}  // namespace

CheckSchema::CheckSchema(const ToolProfiles& profiles)
    : profiles_(&profiles), empty_text_(std::string_view("{}")) {
  empty_ = empty_document_.read(empty_text_).value_or(JsonValue());
}

Decision CheckSchema::operator()(const Call& call) const {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  const ToolProfiles::Found profile = profiles_->find(call);
  const ToolDefinition* tool = call.facts.tool;
  const JsonSchema* schema = tool == nullptr || tool->schemas == nullptr
                                 ? nullptr
                                 : tool->schemas->input.usable(profile->untranslatable);
  if (schema == nullptr) return Decision::deny(Reason::tool_quarantined);
  const JsonValue arguments = call.message.arguments ? call.message.arguments : empty_;
  const ValidationOptions& options = profile->validation;
  Decision decision = hold_against(*schema, arguments, options, Reason::arguments_invalid);
  if (decision.denies()) return decision;
  for (const auto& overlay : profile->overlays) {
    const ValidationOptions own{.formats = ValidationOptions::Formats::assert_them};
    decision = hold_against(*overlay, arguments, own, Reason::argument_refused);
    if (decision.denies()) return decision;
  }
  // What is redacted and approved is said of the one name alone, so the other one passes in no
  // mode.
  if (const std::string* both = profile->renames.find_both(arguments)) {
    return Decision::deny(Reason::argument_not_absent, nullptr, *both);
  }
  return check_reserved(*schema, arguments, options);
}

Decision check_structured_content(const ToolDefinition& tool, const MergedProfile& profile,
                                  ProtocolVersion version, JsonValue result) {
  JsonValue content = result.find("structuredContent");
  // Where it has to be an object, null is how some libraries write that there is none.
  if (!allows_any_structured_content(version) && content.is(JsonType::null)) content = {};
  if (content && !allows_any_structured_content(version) && !content.is(JsonType::object)) {
    return refuse(Reason::result_invalid,
                  {{.pointer = "", .keyword = "type", .expected = "object"}});
  }
  const bool is_excused = !has_structured_content(version) || is_unfinished(version, result) ||
                          result.find("isError").boolean().value_or(false);
  if (profile.result_overlay != nullptr) {
    if (!content && !is_excused) return lacks_structured_content();
    Decision decision =
        content ? hold_both_against(*profile.result_overlay, content, {}) : Decision::pass();
    if (decision.denies()) return decision;
  }
  if (tool.schemas == nullptr || !tool.schemas->output.has_value()) return Decision::pass();
  const JsonSchema* schema = tool.schemas->output->usable(profile.untranslatable);
  if (!content) {
    // Clients were listed no such schema, and wait for nothing.
    const bool is_promised = schema != nullptr && !tool.has_odd_output;
    return is_promised && !is_excused ? lacks_structured_content() : Decision::pass();
  }
  if (schema == nullptr) return Decision::deny(Reason::result_unjudged);
  const ValidationOptions options{.formats = profile.validation.formats};
  return hold_both_against(*schema, content, options);
}

}  // namespace bartizan
