#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/check/changed_schema.h"
#include "schemas/json/json.h"
#include "schemas/message/message.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The arguments that one server lists under one name and reads under another. A call is renamed
/// before anything is judged, and is judged by a schema that is renamed alike.
///
/// Threads: immutable once built.
class RenamedArguments {
 public:
  RenamedArguments() = default;
  /// Input: renames that the loader took, so that no name is in two of them.
  explicit RenamedArguments(const std::vector<RenamedArgument>& renames);

  bool empty() const { return renames_.empty(); }
  /// The pointers by which clients know the arguments.
  const std::vector<std::string>& listed() const { return listed_; }

  /// The message with its arguments under the names that the server reads; nothing where they are
  /// so already. Where a client sent both names, both stay, and the call is to be refused.
  ///
  /// Input: a `tools/call` that was read from `bytes`.
  std::optional<std::string> apply(const Message& message, std::string_view bytes) const;

  /// An input schema whose properties have the names that the server reads. A property is found
  /// where the schema has it under `properties`; what a `$ref` or `allOf` adds stays.
  /// Input: `bytes`, which the schema was read from.
  std::string apply(JsonValue schema, std::string_view bytes) const;

  bool operator==(const RenamedArguments&) const = default;

 private:
  class Edits;

  std::vector<PropertyChange> renames_;
  std::vector<std::string> listed_;
};

/// A tool as its server takes it: with the schemas of the renamed arguments, and with headers that
/// repeat them. Its fingerprint and text stay those that the server listed. Null where its schema
/// cannot be renamed, such as one that has both names: the tool is then not to be used.
///
/// Cost: that of compiling its schemas.
std::shared_ptr<const ToolDefinition> renamed_tool(const ToolDefinition& tool,
                                                   const RenamedArguments& names);

}  // namespace bartizan
