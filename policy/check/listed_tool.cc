#include "policy/check/listed_tool.h"

#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

/// Members that clients read as values of a type or as nothing, and refuse a whole list for a null.
bool may_be_left_out(JsonValue member) {
  return member.is(JsonType::null) && is_optional_member(member.key());
}

/// An object without its members that are null, in the bytes that the others have.
std::string without_nulls(JsonValue object, std::string_view bytes) {
  std::string out = "{";
  for (const JsonValue member : object) {
    if (member.is(JsonType::null)) continue;
    if (out.size() > 1) out += ',';
    out += member.key_range().of(bytes);
    out += ':';
    out += member.raw();
  }
  return out + "}";
}

bool has_plain_members(JsonValue member) {
  const bool is_known = member.key() == "annotations" || member.key() == "execution";
  return is_known && member.is(JsonType::object);
}

}  // namespace

bool shows_output_schema(const ToolDefinition& tool, SchemaOptions::Untranslatable patterns) {
  if (tool.schemas == nullptr || !tool.schemas->output.has_value()) return true;
  return !tool.has_odd_output && tool.schemas->output->usable(patterns) != nullptr;
}

std::optional<std::string> listed_tool(std::string_view entry, std::string_view name,
                                       const ArgumentRewrites& rewrites,
                                       ListedOutputSchema output_schema) {
  const Bytes bytes(entry);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root.has_value()) return std::nullopt;
  std::string out = "{";
  for (const JsonValue member : *root) {
    if (may_be_left_out(member)) continue;
    const bool is_output = member.key() == "outputSchema";
    if (is_output && output_schema == ListedOutputSchema::left_out) continue;
    if (out.size() > 1) out += ',';
    out += member.key_range().of(bytes.view());
    out += ':';
    if (member.key() == "name") {
      append_json_string(out, name);
    } else if (member.key() == "inputSchema") {
      out += rewrites.without_forced(member, bytes.view());
    } else if (has_plain_members(member)) {
      out += without_nulls(member, bytes.view());
    } else {
      out += member.raw();
    }
  }
  return out + "}";
}

}  // namespace bartizan
