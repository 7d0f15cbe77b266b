#include "schemas/json/json_decimal.h"

#include <algorithm>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// The largest exponent; larger ones are cut to it. Its sum with any number of digits fits an
/// int64.
constexpr std::int64_t kExponentMax = std::int64_t{1} << 59;
/// Any number with this many digits fits a u64.
constexpr std::size_t kDivisorDigitsMax = 19;

using Wide = unsigned __int128;

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

std::int64_t read_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text)
    value = std::min(value * 10 + (c - '0'), kExponentMax);
  return is_negative ? -value : value;
}

std::uint64_t value_of(char digit) {
  return static_cast<std::uint64_t>(digit - '0');
}

/// (value * 10^power) mod divisor.
std::uint64_t times_power_of_ten(std::uint64_t value, std::int64_t power, std::uint64_t divisor) {
  Wide result = value % divisor;
  Wide base = 10 % divisor;
  for (; power > 0; power /= 2) {
    if (power % 2 == 1) result = result * base % divisor;
    base = base * base % divisor;
  }
  return static_cast<std::uint64_t>(result);
}

}  // namespace

JsonDecimal::JsonDecimal(std::string_view token) : is_negative_(token.starts_with('-')) {
  if (is_negative_) token.remove_prefix(1);
  whole_ = token.substr(0, count_digits(token));
  token.remove_prefix(whole_.size());
  if (token.starts_with('.')) {
    token.remove_prefix(1);
    fraction_ = token.substr(0, count_digits(token));
    token.remove_prefix(fraction_.size());
  }
  if (!token.empty()) exponent_ = read_exponent(token.substr(1));
  last_ = whole_.size() + fraction_.size();
  while (first_ < last_ && row(first_) == '0')
    ++first_;
  while (last_ > first_ && row(last_ - 1) == '0')
    --last_;
}

std::strong_ordering compare(const JsonDecimal& left, const JsonDecimal& right) {
  const auto sign = [](const JsonDecimal& of) {
    return of.is_zero() ? 0 : of.is_negative() ? -1 : 1;
  };
  if (sign(left) != sign(right)) return sign(left) <=> sign(right);
  if (left.is_zero()) return std::strong_ordering::equal;
  auto order = left.magnitude() <=> right.magnitude();
  const std::size_t common = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < common && order == std::strong_ordering::equal; ++i)
    order = left.digit(i) <=> right.digit(i);
  if (order == std::strong_ordering::equal) order = left.size() <=> right.size();
  return left.is_negative() ? 0 <=> order : order;
}

std::optional<DecimalDivisor> DecimalDivisor::read(std::string_view token) {
  const JsonDecimal decimal(token);
  if (decimal.is_zero() || decimal.is_negative() || decimal.size() > kDivisorDigitsMax) {
    return std::nullopt;
  }
  DecimalDivisor divisor;
  divisor.digits_ = 0;
  for (std::size_t i = 0; i < decimal.size(); ++i)
    divisor.digits_ = divisor.digits_ * 10 + value_of(decimal.digit(i));
  divisor.scale_ = decimal.scale();
  return divisor;
}

bool DecimalDivisor::divides(const JsonDecimal& value) const {
  if (value.is_zero()) return true;
  // The value's last digit is not zero, so no power of ten divides its digits.
  const std::int64_t power = value.scale() - scale_;
  if (power < 0) return false;
  Wide rest = 0;
  for (std::size_t i = 0; i < value.size(); ++i)
    rest = (rest * 10 + value_of(value.digit(i))) % digits_;
  return times_power_of_ten(static_cast<std::uint64_t>(rest), power, digits_) == 0;
}

}  // namespace bartizan
