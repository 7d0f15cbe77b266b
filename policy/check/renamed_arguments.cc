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
    std::vector<Names>* members = &renames_;
    Names* member = nullptr;
    for (const PointerSegment& segment : parse_pointer(rename.listed)) {
      auto found = std::ranges::find(*members, segment.name, &Names::name);
      if (found == members->end()) found = members->insert(found, {.name = segment.name});
      member = &*found;
      members = &member->members;
    }
    if (member != nullptr) member->sent = parse_pointer(rename.sent).back().name;
    listed_.push_back(rename.listed);
  }
}

std::vector<std::string> RenamedArguments::listed() const {
  return listed_;
}

/// The names of one message that change.
class RenamedArguments::Edits {
 public:
  void rename(const std::vector<Names>& names, JsonValue object) {
    if (!object.is(JsonType::object)) return;
    for (const Names& one : names) {
      const JsonValue found = object.find(one.name);
      if (!found) continue;
      if (!one.sent.empty() && !object.find(one.sent)) {
        edits_.replace(found.key_range(), json_string(one.sent));
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

/// Writes a schema with other names.
class RenamedArguments::Schema {
 public:
  explicit Schema(std::string_view bytes) : bytes_(bytes) {}

  std::string schema(JsonValue schema, const std::vector<Names>& names) const {
    std::string out;
    for (const JsonValue member : schema) {
      std::string value(member.raw());
      if (member.key() == "properties" && member.is(JsonType::object)) {
        value = properties(member, names);
      } else if (member.key() == "required" && member.is(JsonType::array)) {
        value = required(member, names);
      }
      add(out, member.key_range().of(bytes_), value);
    }
    return "{" + out + "}";
  }

 private:
  std::string properties(JsonValue properties, const std::vector<Names>& names) const {
    std::string out;
    for (const JsonValue property : properties) {
      const auto found = std::ranges::find(names, property.key(), &Names::name);
      const bool is_below = found != names.end() && property.is(JsonType::object);
      const bool is_renamed = found != names.end() && !found->sent.empty();
      add(out, is_renamed ? json_string(found->sent) : std::string(property.key_range().of(bytes_)),
          is_below ? schema(property, found->members) : std::string(property.raw()));
    }
    return "{" + out + "}";
  }
  static std::string required(JsonValue array, const std::vector<Names>& names) {
    std::string out;
    for (const JsonValue name : array) {
      const auto found = std::ranges::find(names, name.text(), &Names::name);
      const bool is_renamed =
          name.is(JsonType::string) && found != names.end() && !found->sent.empty();
      if (!out.empty()) out += ',';
      out += is_renamed ? json_string(found->sent) : std::string(name.raw());
    }
    return "[" + out + "]";
  }
  static void add(std::string& out, std::string_view key, std::string_view value) {
    if (!out.empty()) out += ',';
    out += key;
    out += ':';
    out += value;
  }

  std::string_view bytes_;
};

std::optional<std::string> RenamedArguments::apply(const Message& message,
                                                   std::string_view bytes) const {
  Edits edits;
  edits.rename(renames_, message.arguments);
  return std::move(edits).apply(bytes);
}

std::string RenamedArguments::apply(JsonValue schema, std::string_view bytes) const {
  return Schema(bytes).schema(schema, renames_);
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
