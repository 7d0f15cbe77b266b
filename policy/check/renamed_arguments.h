#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/check/renamed_schema.h"
#include "policy/text/byte_edits.h"
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
  /// Pointers to what a renamed call does not have: the names that the server does not read, below
  /// those that it reads.
  const std::vector<std::string>& gone() const { return gone_; }
  /// Pointers to the arguments as the server reads them, in the order of `gone`.
  const std::vector<std::string>& sent() const { return sent_; }

  /// The message with its arguments under the names that the server reads; nothing where they are
  /// so already. What is below an argument is renamed whatever name that was sent under. Where a
  /// client sent both names, both stay, and the call is to be refused.
  ///
  /// Input: a `tools/call` that was read from `bytes`.
  std::optional<std::string> apply(const Message& message, std::string_view bytes) const;

  /// Where renamed arguments still have a name that the server does not read, as the client sent
  /// both; null for nowhere. Lifetime: that of this object.
  const std::string* find_both(JsonValue arguments) const;

  /// Renames an input schema likewise; see `rename_schema`.
  bool apply(JsonValue schema, ByteEdits& edits) const;
  /// An input schema as JSON text under these names; nothing where it cannot be renamed.
  std::optional<std::string> apply(const std::string& schema) const;

  bool operator==(const RenamedArguments&) const = default;

 private:
  class Edits;

  std::vector<RenamedMember> renames_;
  std::vector<std::string> gone_, sent_;
};

/// A tool as its server takes it: with the schemas of the renamed arguments, and with headers that
/// repeat them. Its fingerprint and text stay those that the server listed. Null where its schema
/// cannot be renamed, such as one that has both names: the tool is then not to be used.
///
/// Cost: that of compiling its schemas.
std::shared_ptr<const ToolDefinition> renamed_tool(const ToolDefinition& tool,
                                                   const RenamedArguments& names);

}  // namespace bartizan
