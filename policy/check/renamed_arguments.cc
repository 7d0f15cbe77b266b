#include "policy/check/renamed_arguments.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "policy/text/argument_pointer.h"
#include "policy/text/byte_edits.h"
#include "schemas/json/json_text.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

namespace {

/// One rename, in steps.
struct Rename {
  std::vector<PointerSegment> listed;
  std::string sent;  ///< The last step of the other pointer.
};

/// By how deep they are, so that whatever is above comes first.
std::multimap<std::size_t, Rename> by_depth(const std::vector<RenamedArgument>& renames) {
  std::multimap<std::size_t, Rename> all;
  for (const RenamedArgument& rename : renames) {
    const std::vector<PointerSegment> sent = parse_pointer(rename.sent);
    if (sent.empty()) continue;
    all.emplace(sent.size(),
                Rename{.listed = parse_pointer(rename.listed), .sent = sent.back().name});
  }
  return all;
}

std::string_view sent_name(const RenamedMember& member) {
  return member.renamed.empty() ? member.name : member.renamed;
}

RenamedMember& member_of(std::vector<RenamedMember>& members, const std::string& name) {
  const auto found = std::ranges::find_if(
      members, [&](const RenamedMember& one) { return one.name == name || one.renamed == name; });
  return found == members.end() ? members.emplace_back(RenamedMember{.name = name}) : *found;
}

}  // namespace

RenamedArguments::RenamedArguments(const std::vector<RenamedArgument>& renames) {
  for (const auto& [depth, rename] : by_depth(renames)) {
    std::vector<RenamedMember>* members = &renames_;
    std::string above;
    for (std::size_t at = 0; at < rename.listed.size(); ++at) {
      // What is above may be written by either name.
      RenamedMember& member = member_of(*members, rename.listed[at].name);
      if (at + 1 == rename.listed.size()) {
        member.renamed = rename.sent;
        gone_.push_back(pointer_below(above, member.name));
        sent_.push_back(pointer_below(above, member.renamed));
      }
      above = pointer_below(std::move(above), sent_name(member));
      members = &member.members;
    }
  }
}

/// The names of one message that change.
class RenamedArguments::Edits {
 public:
  void rename(const std::vector<RenamedMember>& names, JsonValue object) {
    if (!object.is(JsonType::object)) return;
    for (const RenamedMember& one : names) {
      const JsonValue listed = object.find(one.name);
      const JsonValue sent = one.renamed.empty() ? JsonValue() : object.find(one.renamed);
      if (listed && !sent && !one.renamed.empty()) {
        edits_.replace(listed.key_range(), json_string(one.renamed));
      }
      rename(one.members, listed);
      rename(one.members, sent);
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

const std::string* RenamedArguments::find_both(JsonValue arguments) const {
  const auto found = std::ranges::find_if(gone_, [&](const std::string& pointer) {
    return static_cast<bool>(arguments.at_pointer(pointer));
  });
  return found == gone_.end() ? nullptr : &*found;
}

bool RenamedArguments::apply(JsonValue schema, ByteEdits& edits) const {
  return rename_schema(schema, renames_, edits);
}

std::optional<std::string> RenamedArguments::apply(const std::string& schema) const {
  const Bytes bytes{std::string_view(schema)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  ByteEdits edits;
  if (!root.has_value() || !apply(*root, edits)) return std::nullopt;
  return std::move(edits).apply(schema).value_or(schema);
}

std::shared_ptr<const ToolDefinition> renamed_tool(const ToolDefinition& tool,
                                                   const RenamedArguments& names) {
  const Bytes listed{std::string_view(tool.raw)};
  JsonDocument document;
  const Result<JsonValue> entry = document.read(listed, kResponseLimits);
  if (!entry.has_value()) return nullptr;
  ByteEdits edits;
  if (!names.apply(entry->find("inputSchema"), edits)) return nullptr;
  const Bytes renamed(std::move(edits).apply(listed.view()).value_or(tool.raw));
  JsonDocument other;
  const Result<JsonValue> read = other.read(renamed, kResponseLimits);
  if (!read.has_value()) return nullptr;
  Result<ToolDefinition> definition = read_tool_definition(*read);
  if (!definition.has_value()) return nullptr;
  ToolDefinition sent = tool;
  sent.schemas = std::make_shared<const ToolSchemas>(ToolSchemas::read(*read));
  for (MirroredArgument& mirrored : definition->mirrored) {
    const auto known = std::ranges::find(tool.mirrored, mirrored.header, &MirroredArgument::header);
    const bool is_renamed = known != tool.mirrored.end() && known->pointer != mirrored.pointer;
    if (is_renamed) mirrored.listed = known->pointer;
  }
  sent.mirrored = std::move(definition->mirrored);
  return std::make_shared<const ToolDefinition>(std::move(sent));
}

}  // namespace bartizan
