#include "schemas/json_number.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace bartizan {
namespace {

/// Exponents beyond this are all alike: no digits of a message could bring them back.
constexpr std::int64_t kExponentMax = std::int64_t{1} << 40;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end]))
    ++end;
  return end - at;
}

/// A number taken apart. `digit(i)` counts through whole and fraction as one row.
struct Decimal {
  bool is_negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;

  std::size_t size() const { return whole.size() + fraction.size(); }
  char digit(std::size_t i) const {
    return i < whole.size() ? whole[i] : fraction[i - whole.size()];
  }
  /// How many digits of the row stand left of the decimal point.
  std::int64_t point() const { return static_cast<std::int64_t>(whole.size()) + exponent; }
  /// Index of the first and behind the last digit that is not zero; equal for zero.
  std::size_t first() const {
    std::size_t i = 0;
    while (i < size() && digit(i) == '0')
      ++i;
    return i;
  }
  std::size_t last() const {
    std::size_t i = size();
    while (i > 0 && digit(i - 1) == '0')
      --i;
    return i;
  }
};

std::int64_t read_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text)
    value = std::min(value * 10 + (c - '0'), kExponentMax);
  return is_negative ? -value : value;
}

Decimal read_decimal(std::string_view token) {
  Decimal decimal;
  decimal.is_negative = token.starts_with('-');
  if (decimal.is_negative) token.remove_prefix(1);
  decimal.whole = token.substr(0, digits_from(token, 0));
  token.remove_prefix(decimal.whole.size());
  if (token.starts_with('.')) {
    decimal.fraction = token.substr(1, digits_from(token, 1));
    token.remove_prefix(1 + decimal.fraction.size());
  }
  if (!token.empty()) decimal.exponent = read_exponent(token.substr(1));
  return decimal;
}

template <class T>
bool overflows(std::string_view token) {
  T value{};
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  return end.ec == std::errc::result_out_of_range;
}

bool overflows_double(std::string_view token) {
  if (!overflows<double>(token)) return false;
  // Too small is reported like too large. Only the latter has digits left of the point.
  const Decimal decimal = read_decimal(token);
  return decimal.point() > static_cast<std::int64_t>(decimal.first());
}

std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool is_negative) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > kMax + (is_negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
}

}  // namespace

std::size_t json_number_size(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_from(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return 0;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_from(text, at + 1);
    if (fraction == 0) return 0;
    at += 1 + fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits_from(text, at);
    if (exponent == 0) return 0;
    at += exponent;
  }
  return at;
}

bool is_unrepresentable(std::string_view token) {
  const bool is_integer = token.find_first_of(".eE") == std::string_view::npos;
  if (!is_integer) return overflows_double(token);
  if (token.starts_with('-')) return overflows<std::int64_t>(token);
  return overflows<std::uint64_t>(token);
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  std::int64_t value = 0;
  const char* const end = token.data() + token.size();
  const auto plain = std::from_chars(token.data(), end, value);
  if (plain.ptr == end) {
    return plain.ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  const Decimal decimal = read_decimal(token);
  const std::size_t first = decimal.first();
  const std::size_t last = decimal.last();
  if (first >= last) return 0;
  if (static_cast<std::int64_t>(last) > decimal.point()) return std::nullopt;
  constexpr std::int64_t kDigitsMax = 19;  // Of an int64; a u64 holds any number of 19 digits.
  if (decimal.point() - static_cast<std::int64_t>(first) > kDigitsMax) return std::nullopt;
  std::uint64_t magnitude = 0;
  for (auto i = static_cast<std::int64_t>(first); i < decimal.point(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const char digit = at < last ? decimal.digit(at) : '0';
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return with_sign(magnitude, decimal.is_negative);
}

std::optional<double> double_of(std::string_view token) {
  double value = 0;
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end.ec == std::errc()) return value;
  if (overflows_double(token)) return std::nullopt;
  return token.starts_with('-') ? -0.0 : 0.0;
}

}  // namespace bartizan
