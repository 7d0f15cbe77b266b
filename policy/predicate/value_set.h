#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"

namespace bartizan {

/// `one_of = [...]`: equality as in JSON Schema. Strings are compared by their characters and
/// numbers by their exact value, in any spelling.
class ValueSet {
 public:
  /// Input: strings, numbers, `true` and `false` as JSON.
  explicit ValueSet(const OneOfPredicate& one_of);

  /// `none`, or the reason of the refusal. A type that no value of the set has is a wrong type.
  /// Cost: a binary search.
  Reason judge(JsonValue value) const;

 private:
  bool has_any(JsonType type) const;
  /// Input: a value of a type that the set has.
  bool has(JsonValue value) const;
  bool has_text(std::string_view text) const;
  bool has_number(std::string_view token) const;

  std::vector<std::string> texts_;    ///< Unescaped, sorted.
  std::vector<std::string> numbers_;  ///< As spelled, sorted by value.
  bool has_true_ = false, has_false_ = false;
};

}  // namespace bartizan
