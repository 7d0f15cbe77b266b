#include "schemas/json/json_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "schemas/base/ascii.h"
#include "schemas/json/json_decimal.h"

namespace bartizan {
namespace {

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end]))
    ++end;
  return end - at;
}

template <class T>
bool overflows(std::string_view token) {
  T value{};
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  return end.ec == std::errc::result_out_of_range;
}

std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool is_negative) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > kMax + (is_negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
}

/// This many digits always fit an int64, and almost all integers have no more.
constexpr std::size_t kDigitsSure = 18;

/// The value of an integer of at most that many digits.
std::optional<std::int64_t> short_integer(std::string_view token) {
  const bool is_negative = token.starts_with('-');
  if (is_negative) token.remove_prefix(1);
  if (token.empty() || token.size() > kDigitsSure) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : token) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return is_negative ? -value : value;
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

bool overflows_double(std::string_view token) {
  // This many digits without an exponent cannot overflow.
  const bool is_short = token.size() <= std::numeric_limits<double>::max_exponent10;
  if (is_short && token.find_first_of("eE") == std::string_view::npos) return false;
  if (!overflows<double>(token)) return false;
  // Underflow is reported like overflow. Only the latter has digits left of the point.
  return JsonDecimal(token).magnitude() > 0;
}

bool exceeds_64_bits(std::string_view token) {
  const bool has_exponent = token.find_first_of("eE") != std::string_view::npos;
  if (token.size() <= kDigitsSure && !has_exponent) return false;
  const bool is_integer = token.find_first_of(".eE") == std::string_view::npos;
  if (!is_integer) return overflows_double(token);
  if (token.starts_with('-')) return overflows<std::int64_t>(token);
  return overflows<std::uint64_t>(token);
}

std::optional<std::int64_t> integer_of(std::string_view token) {
  if (const auto known = short_integer(token)) return known;
  std::int64_t value = 0;
  const char* const end = token.data() + token.size();
  const auto plain = std::from_chars(token.data(), end, value);
  if (plain.ptr == end) {
    return plain.ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  const JsonDecimal decimal(token);
  if (decimal.is_zero()) return 0;
  if (!decimal.is_integer()) return std::nullopt;
  constexpr std::int64_t kDigitsMax = 19;  // Of an int64; a u64 holds any number of 19 digits.
  if (decimal.magnitude() > kDigitsMax) return std::nullopt;
  std::uint64_t magnitude = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(decimal.magnitude()); ++i) {
    const char digit = i < decimal.size() ? decimal.digit(i) : '0';
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return with_sign(magnitude, decimal.is_negative());
}

std::optional<std::string> double_reading(std::string_view token) {
  // This many digits survive a conversion to double and back.
  constexpr std::size_t kSure = std::numeric_limits<double>::digits10;
  const bool has_exponent = token.find_first_of("eE") != std::string_view::npos;
  if (token.size() <= kSure && !has_exponent) return std::nullopt;
  const bool is_integer = !has_exponent && !token.contains('.');
  if (is_integer && !exceeds_64_bits(token)) return std::nullopt;
  constexpr std::size_t kLongest = 32;
  std::array<char, kLongest> text{};
  const double largest = token.starts_with('-') ? std::numeric_limits<double>::lowest()
                                                : std::numeric_limits<double>::max();
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), double_of(token).value_or(largest));
  std::string shortest(text.data(), written.ptr);
  if (compare(JsonDecimal(token), JsonDecimal(shortest)) == 0) return std::nullopt;
  return shortest;
}

std::optional<double> double_of(std::string_view token) {
  double value = 0;
  const auto end = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end.ec == std::errc()) return value;
  if (overflows_double(token)) return std::nullopt;
  return token.starts_with('-') ? -0.0 : 0.0;
}

}  // namespace bartizan
