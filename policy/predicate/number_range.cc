#include "policy/predicate/number_range.h"

#include "schemas/json/json_decimal.h"

namespace bartizan {

Reason NumberRange::judge(JsonValue value) const {
  if (!value.is(JsonType::number)) return Reason::argument_wrong_type;
  const JsonDecimal number(value.raw());
  const bool is_below = !min_.empty() && compare(number, JsonDecimal(min_)) < 0;
  const bool is_above = !max_.empty() && compare(number, JsonDecimal(max_)) > 0;
  return is_below || is_above ? Reason::argument_not_allowed : Reason::none;
}

}  // namespace bartizan
