#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"

namespace bartizan {

/// `one_of = [...]`: equality as JSON Schema has it, of strings by their characters and of numbers
/// by their exact value, however either is spelled.
class ValueSet {
 public:
  /// Input: strings, numbers, `true` and `false` as JSON.
  explicit ValueSet(const OneOfPredicate& one_of);

  /// `none`, or why the value is refused; a type that no value has is a wrong one.
  /// Cost: a search by halves.
  Reason judge(JsonValue value) const;

 private:
  bool has_any(JsonType type) const;
  /// Input: a value of a type of which there is any.
  bool has(JsonValue value) const;
  bool has_text(std::string_view text) const;
  bool has_number(std::string_view token) const;

  std::vector<std::string> texts_;    ///< Unescaped, sorted.
  std::vector<std::string> numbers_;  ///< As they are spelled, sorted by their value.
  bool has_true_ = false, has_false_ = false;
};

}  // namespace bartizan
