#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// One schema of a tool from a server: compiled, or the reason why it cannot be used.
class ToolSchema {
 public:
  static ToolSchema read(JsonValue schema);

  /// The schema that values are checked against; null if it is not usable.
  const JsonSchema* usable(SchemaOptions::Untranslatable patterns) const;
  /// Why it cannot be used unchanged, or null.
  const SchemaError* flaw() const { return flaw_ ? &*flaw_ : nullptr; }
  /// The keywords that are read as in an earlier draft. Null if it cannot be used.
  const std::vector<SchemaNote>* notes() const { return compiled_ ? &compiled_->notes() : nullptr; }
  std::size_t memory() const;

 private:
  std::optional<JsonSchema> compiled_;  ///< Without untranslatable patterns.
  std::optional<SchemaError> flaw_;
};

/// The compiled schemas of one tool. Immutable; all lists with the tool share them.
///
/// Threads: any.
struct ToolSchemas {
  ToolSchema input;
  std::optional<ToolSchema> output;

  /// Compiles the schemas of an entry of a `tools/list` result. They may only refer to themselves
  /// and to the published metaschemas. Nothing is fetched.
  /// Cost: see `JsonSchema::compile`.
  static ToolSchemas read(JsonValue entry);

  /// Whether arguments can be judged. Otherwise the tool is not used. If the output schema is
  /// unusable, results lose their structured content, but the tool stays.
  bool is_usable(SchemaOptions::Untranslatable patterns) const;
  /// Why the input schema cannot be used unchanged: `inputSchema: external_reference at
  /// /properties/a/$ref`. Empty without a flaw.
  std::string flaw() const;
  /// Why the output schema cannot be used, such as `outputSchema: external_reference at
  /// /items/$ref`. Empty without a flaw or without an output schema.
  std::string output_flaw() const;
  /// The keywords of both that are read as in an earlier draft: `inputSchema/items: read as …`.
  std::vector<std::string> notes() const;
  std::size_t memory() const;
};

/// Members named `__proto__`, `constructor` or `prototype` anywhere below a value. In JavaScript
/// these names lead to properties that all objects share, so they are only harmless if they are
/// expected. Returns at most `limits::reserved_members_max` and one.
///
/// Cost:   one visit to every member.
/// Source: CWE-1321.
std::vector<JsonValue> find_reserved_members(JsonValue value);

}  // namespace bartizan
