#include "policy/detect/adjacent_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, 12> kNames{"name",  "key",   "Name",         "Key",
                                                  "id",    "field", "variable",     "env",
                                                  "param", "label", "ParameterKey", "parameterKey"};
constexpr std::array<std::string_view, 6> kValues{
    "value", "val", "Value", "plaintext", "ParameterValue", "parameterValue"};

/// Parts of the names of secrets, in any case.
constexpr std::array<std::string_view, 9> kSecretParts{
    "pass", "pwd", "secret", "token", "key", "credential", "auth", "session", "cookie"};
constexpr std::array<std::string_view, 5> kNumberParts{"passw", "passc", "passp", "pwd", "secret"};

/// Longer strings are not names.
constexpr std::size_t kNameMax = 128;
/// The most names of one object that are combined with a value.
constexpr std::size_t kTimesMax = 2;

bool holds(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool has_part(std::span<const std::string_view> parts, std::string_view name) {
  return std::ranges::any_of(parts, [name](std::string_view part) {
    return !std::ranges::search(name, part, {}, lower_case).empty();
  });
}

bool is_scalar(JsonValue value) {
  return !value.is(JsonType::object) && !value.is(JsonType::array);
}

}  // namespace

void NamesBeside::start(JsonValue message) {
  bytes_ = message.raw();
  begin_ = message.range().begin;
  last_ = option_ = holder_ = {};
  names_.clear();
  values_.clear();
}

/// Whether only a comma is between a value and the last one, so that both are in one object or
/// list.
bool NamesBeside::is_next(JsonValue value) const {
  if (!last_) return false;
  const ByteRange key = value.key_range();
  const std::size_t begin = key.size() > 0 ? key.begin : value.range().begin;
  const std::size_t end = last_.range().end;
  const std::string_view between = bytes_.substr(end - begin_, begin - end);
  return between.find_first_not_of(", \t\r\n") == std::string_view::npos;
}

std::span<const NamedValue> NamesBeside::visit(JsonValue value) {
  found_.clear();
  if (!is_scalar(value)) {
    last_ = {};
    const bool is_named = value.is(JsonType::object) && value.key_range().size() > 0;
    holder_ = is_named ? value : JsonValue();
    return {};
  }
  const bool waits = option_ || !names_.empty() || !values_.empty();
  if (waits && !is_next(value)) {
    option_ = {};
    names_.clear();
    values_.clear();
  }
  last_ = value;
  value.key_range().size() == 0 ? visit_element(value) : visit_member(value);
  return found_;
}

void NamesBeside::visit_element(JsonValue value) {
  if (!value.is(JsonType::string)) return;
  const JsonValue option = option_;
  const std::string_view text = value.text();
  const bool is_option = text.starts_with("--") && text.size() <= kNameMax;
  option_ = is_option && has_part(kSecretParts, text) ? value : JsonValue();
  if (option && !is_option) found_.push_back({NamedValue::Form::option, option.text(), value});
}

void NamesBeside::visit_member(JsonValue value) {
  const std::string_view key = value.key();
  if (value.is(JsonType::string) && value.raw().size() <= kNameMax && holds(kNames, key)) {
    if (names_.size() == kTimesMax || !has_part(kSecretParts, value.text())) return;
    names_.push_back(value);
    for (const JsonValue one : values_)
      found_.push_back({NamedValue::Form::member, value.text(), one});
  } else if (holds(kValues, key)) {
    values_.push_back(value);
    for (const JsonValue name : names_)
      found_.push_back({NamedValue::Form::member, name.text(), value});
    const bool is_held = holder_ && value.range().end < holder_.range().end &&
                         holder_.key().size() <= kNameMax && has_part(kSecretParts, holder_.key());
    if (is_held) found_.push_back({NamedValue::Form::member, holder_.key(), value});
  }
}

bool may_name_number(std::string_view name) {
  return has_part(kNumberParts, name);
}

}  // namespace bartizan
