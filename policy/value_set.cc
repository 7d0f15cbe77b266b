#include "policy/value_set.h"

#include <algorithm>
#include <compare>

#include "schemas/json_decimal.h"
#include "schemas/json_text.h"

namespace bartizan {
namespace {

constexpr auto kIsSmaller = [](const JsonDecimal& left, const JsonDecimal& right) {
  return compare(left, right) < 0;
};

JsonDecimal decimal_of(std::string_view token) {
  return JsonDecimal(token);
}

std::string_view view_of(std::string_view text) {
  return text;
}

std::string unescaped(std::string_view quoted) {
  std::string text;
  append_unescaped(text, quoted.substr(1, quoted.size() - 2));
  return text;
}

Reason verdict(bool can_be, bool is) {
  if (!can_be) return Reason::argument_wrong_type;
  return is ? Reason::none : Reason::argument_not_allowed;
}

}  // namespace

ValueSet::ValueSet(const OneOfPredicate& one_of) {
  for (const std::string& value : one_of.values) {
    if (value == "true") {
      has_true_ = true;
    } else if (value == "false") {
      has_false_ = true;
    } else if (value.starts_with('"')) {
      texts_.push_back(unescaped(value));
    } else {
      numbers_.push_back(value);
    }
  }
  std::ranges::sort(texts_);
  std::ranges::sort(numbers_, kIsSmaller, decimal_of);
}

Reason ValueSet::judge(JsonValue value) const {
  switch (value.type()) {
    case JsonType::string:
      return verdict(!texts_.empty(), has_text(value.text()));
    case JsonType::number:
      return verdict(!numbers_.empty(), has_number(value.raw()));
    case JsonType::boolean:
      return verdict(has_true_ || has_false_,
                     value.boolean().value_or(false) ? has_true_ : has_false_);
    default:
      return Reason::argument_wrong_type;
  }
}

bool ValueSet::has_text(std::string_view text) const {
  return std::ranges::binary_search(texts_, text, {}, view_of);
}

bool ValueSet::has_number(std::string_view token) const {
  return std::ranges::binary_search(numbers_, JsonDecimal(token), kIsSmaller, decimal_of);
}

}  // namespace bartizan
