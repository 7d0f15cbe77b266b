#include "policy/predicate/value_set.h"

#include <algorithm>
#include <compare>

#include "schemas/json/json_decimal.h"
#include "schemas/json/json_text.h"

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
  if (!has_any(value.type())) return Reason::argument_wrong_type;
  return has(value) ? Reason::none : Reason::argument_not_allowed;
}

bool ValueSet::has_any(JsonType type) const {
  switch (type) {
    case JsonType::string:
      return !texts_.empty();
    case JsonType::number:
      return !numbers_.empty();
    case JsonType::boolean:
      return has_true_ || has_false_;
    default:
      return false;
  }
}

bool ValueSet::has(JsonValue value) const {
  switch (value.type()) {
    case JsonType::string:
      return has_text(value.text());
    case JsonType::number:
      return has_number(value.raw());
    default:
      return value.boolean().value_or(false) ? has_true_ : has_false_;
  }
}

bool ValueSet::has_text(std::string_view text) const {
  return std::ranges::binary_search(texts_, text, {}, view_of);
}

bool ValueSet::has_number(std::string_view token) const {
  return std::ranges::binary_search(numbers_, JsonDecimal(token), kIsSmaller, decimal_of);
}

}  // namespace bartizan
