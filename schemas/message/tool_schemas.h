#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// One schema that a server gave for a tool: compiled, or why it cannot be used.
class ToolSchema {
 public:
  static ToolSchema read(JsonValue schema);

  /// What values are held against; null where there is nothing to hold them against.
  const JsonSchema* usable(SchemaOptions::Untranslatable patterns) const;
  /// Why it cannot be used as it is, or null.
  const SchemaError* flaw() const { return flaw_ ? &*flaw_ : nullptr; }
  /// What was judged as an earlier draft had it; null where it cannot be used.
  const std::vector<SchemaNote>* notes() const { return compiled_ ? &compiled_->notes() : nullptr; }
  std::size_t memory() const;

 private:
  std::optional<JsonSchema> compiled_;  ///< Without the patterns that cannot be translated.
  std::optional<SchemaError> flaw_;
};

/// The schemas of one tool, compiled. Immutable; shared by all lists that have the tool.
///
/// Threads: any.
struct ToolSchemas {
  ToolSchema input;
  std::optional<ToolSchema> output;

  /// Input: an entry of a `tools/list` result. Schemas are held against nothing but themselves and
  ///        the published metaschemas; nothing is fetched.
  /// Cost:  see `JsonSchema::compile`.
  static ToolSchemas read(JsonValue entry);

  /// Whether arguments can be judged: without that the tool is not used. An output schema that
  /// cannot be used costs the results their structured content, and never the tool.
  bool is_usable(SchemaOptions::Untranslatable patterns) const;
  /// Why not, as it is: `inputSchema: external_reference at /properties/a/$ref`; empty where it is.
  std::string flaw() const;
  /// Why the output schema cannot be used, such as `outputSchema: external_reference at
  /// /items/$ref`; empty where it can, and where there is none.
  std::string output_flaw() const;
  /// What of both was judged as an earlier draft had it: `inputSchema/items: read as …`.
  std::vector<std::string> notes() const;
  std::size_t memory() const;
};

/// Members named `__proto__`, `constructor` or `prototype` anywhere below a value: harmless only
/// where somebody expects them, since in JavaScript they lead to what all objects share. At most
/// `limits::reserved_members_max` and one.
///
/// Cost:   one visit to every member.
/// Source: CWE-1321.
std::vector<JsonValue> find_reserved_members(JsonValue value);

}  // namespace bartizan
