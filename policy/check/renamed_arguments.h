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

/// The arguments that a server lists under one name and reads under another. A call is renamed
/// before it is judged. It is judged by a schema that is renamed in the same way.
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

  /// The message with its arguments under the names that the server reads; nothing if there is no
  /// change. Names below an argument are changed under either of its names. If a client sent both
  /// names, both stay, and the call must be refused.
  ///
  /// Input: a `tools/call` that was read from `bytes`.
  std::optional<std::string> apply(const Message& message, std::string_view bytes) const;

  /// The place of a name that the server does not read, if the client sent both names; null if
  /// there is none. Lifetime: that of this object.
  const std::string* find_both(JsonValue arguments) const;

  /// Renames an input schema in the same way; see `rename_schema`.
  bool apply(JsonValue schema, ByteEdits& edits) const;
  /// An input schema as JSON text with these names; nothing if it cannot be renamed.
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
