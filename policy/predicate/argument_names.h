#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "policy/text/argument_pointer.h"
#include "schemas/json/json.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// The names in one tool's arguments. It finds names that a reader without regard to letter case
/// takes for another (`folds_alike`).
///
/// Lifetime: views the arguments and the schema.
class ArgumentNames {
 public:
  /// `schema` is null if the tool's schema is not known.
  ArgumentNames(JsonValue arguments, const JsonSchema* schema)
      : arguments_(arguments), schema_(schema) {}

  /// A member on the way of the pointer that such a reader takes for a step of it, or nothing.
  /// Members that the schema names beside the step do not count. Cost: a comparison for each member
  /// on the way.
  JsonValue find_folded(std::span<const PointerSegment> pointer);

  /// Whether the schema has both names in that object, so that its server distinguishes them.
  /// Always false after 64 questions; a call hardly ever needs as many.
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
