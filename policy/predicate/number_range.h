#pragma once

#include <string>

#include "config/config.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"

namespace bartizan {

/// `number = { min, max }`, both ends included. Numbers are compared by their written digits, never
/// as doubles.
class NumberRange {
 public:
  /// Input: bounds that are JSON numbers, or empty.
  explicit NumberRange(const NumberPredicate& number) : min_(number.min), max_(number.max) {}

  /// `none`, or the reason of the refusal. Cost: one pass over the digits.
  Reason judge(JsonValue value) const;

 private:
  std::string min_, max_;
};

}  // namespace bartizan
