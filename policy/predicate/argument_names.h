#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "policy/text/argument_pointer.h"
#include "schemas/json/json.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// The names in one tool's arguments, for those who ask whether one passes for another to a reader
/// that ignores letter case (`folds_alike`).
///
/// Lifetime: views what it is made from.
class ArgumentNames {
 public:
  /// `schema` is null where nobody knows the tool's.
  ArgumentNames(JsonValue arguments, const JsonSchema* schema)
      : arguments_(arguments), schema_(schema) {}

  /// A member on the way of the pointer that passes for a step of it, or nothing. What the schema
  /// names beside the step is none. Cost: a comparison for each member on the way.
  JsonValue find_folded(std::span<const PointerSegment> pointer);

  /// Whether the schema has both names in that object, so that its server tells them apart. False
  /// once it was asked too often, as one call needs that hardly ever.
  bool has_both(JsonValue object, std::string_view one, std::string_view other);

  static constexpr std::size_t kAlikeMax = 64;

 private:
  JsonValue find_folded(std::span<const PointerSegment> rest, JsonValue value);
  bool has(JsonValue object, std::string_view name) const;

  JsonValue arguments_;
  const JsonSchema* schema_;
  std::size_t left_ = kAlikeMax;
};

}  // namespace bartizan
