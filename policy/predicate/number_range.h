#pragma once

#include <string>

#include "config/config.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"

namespace bartizan {

/// `number = { min, max }`, both ends included, compared by the digits that were written: neither
/// side passes through a double.
class NumberRange {
 public:
  /// Input: bounds that are JSON numbers, or empty.
  explicit NumberRange(const NumberPredicate& number) : min_(number.min), max_(number.max) {}

  /// `none`, or why the value is refused. Cost: one pass over its digits.
  Reason judge(JsonValue value) const;

 private:
  std::string min_, max_;
};

}  // namespace bartizan
