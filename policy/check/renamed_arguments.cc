#include "policy/check/renamed_arguments.h"

#include <algorithm>
#include <utility>

#include "policy/text/argument_pointer.h"
#include "policy/text/byte_edits.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

RenamedArguments::RenamedArguments(const std::vector<RenamedArgument>& renames) {
  for (const RenamedArgument& rename : renames) {
    std::vector<PropertyChange>* members = &renames_;
    PropertyChange* member = nullptr;
    for (const PointerSegment& segment : parse_pointer(rename.listed)) {
      auto found = std::ranges::find(*members, segment.name, &PropertyChange::name);
      if (found == members->end()) found = members->insert(found, {.name = segment.name});
      member = &*found;
      members = &member->members;
    }
    if (member != nullptr) member->renamed = parse_pointer(rename.sent).back().name;
    listed_.push_back(rename.listed);
  }
}

/// The names of one message that change.
class RenamedArguments::Edits {
 public:
  void rename(const std::vector<PropertyChange>& names, JsonValue object) {
    if (!object.is(JsonType::object)) return;
    for (const PropertyChange& one : names) {
      const JsonValue found = object.find(one.name);
      if (!found) continue;
      if (!one.renamed.empty() && !object.find(one.renamed)) {
        edits_.replace(found.key_range(), json_string(one.renamed));
      }
      rename(one.members, found);
    }
  }
  std::optional<std::string> apply(std::string_view bytes) && {
    return std::move(edits_).apply(bytes);
  }

 private:
  ByteEdits edits_;
};

std::optional<std::string> RenamedArguments::apply(const Message& message,
                                                   std::string_view bytes) const {
  Edits edits;
  edits.rename(renames_, message.arguments);
  return std::move(edits).apply(bytes);
}

std::string RenamedArguments::apply(JsonValue schema, std::string_view bytes) const {
  return changed_schema(schema, bytes, renames_);
}

std::shared_ptr<const ToolDefinition> renamed_tool(const ToolDefinition& tool,
                                                   const RenamedArguments& names) {
  const Bytes listed{std::string_view(tool.raw)};
  JsonDocument document;
  const Result<JsonValue> entry = document.read(listed, kResponseLimits);
  if (!entry.has_value()) return nullptr;
  const JsonValue schema = entry->find("inputSchema");
  ByteEdits edits;
  edits.replace(schema.range(), names.apply(schema, listed.view()));
  const Bytes renamed(*std::move(edits).apply(listed.view()));
  JsonDocument other;
  const Result<JsonValue> read = other.read(renamed, kResponseLimits);
  if (!read.has_value()) return nullptr;
  Result<ToolDefinition> definition = read_tool_definition(*read);
  if (!definition.has_value()) return nullptr;
  ToolDefinition sent = tool;
  sent.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*read));
  for (MirroredArgument& mirrored : definition->mirrored) {
    const auto known = std::ranges::find(tool.mirrored, mirrored.header, &MirroredArgument::header);
    if (known != tool.mirrored.end()) mirrored.listed = known->pointer;
  }
  sent.mirrored = std::move(definition->mirrored);
  return std::make_shared<const ToolDefinition>(std::move(sent));
}

}  // namespace bartizan
