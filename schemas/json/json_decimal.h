#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bartizan {

/// The parts of a JSON number: its exact value, in any spelling and of any size.
///
/// Lifetime: points into the token that it was read from.
/// Cost:     one pass over the token, no allocation.
class JsonDecimal {
 public:
  /// Input: a token that `json_number_size` accepts whole.
  explicit JsonDecimal(std::string_view token);

  bool is_zero() const { return first_ == last_; }
  bool is_negative() const { return is_negative_ && !is_zero(); }
  bool is_integer() const { return is_zero() || scale() >= 0; }

  /// The digits between leading and trailing zeros. `scale` is the power of ten of the last one.
  std::size_t size() const { return last_ - first_; }
  char digit(std::size_t i) const { return row(first_ + i); }
  std::int64_t scale() const { return point() - static_cast<std::int64_t>(last_); }
  /// The value is below ten to this power, and its first digit counts the power below it.
  std::int64_t magnitude() const { return point() - static_cast<std::int64_t>(first_); }

 private:
  char row(std::size_t i) const {
    return i < whole_.size() ? whole_[i] : fraction_[i - whole_.size()];
  }
  std::int64_t point() const { return static_cast<std::int64_t>(whole_.size()) + exponent_; }

  bool is_negative_ = false;
  std::string_view whole_, fraction_;
  std::int64_t exponent_ = 0;
  std::size_t first_ = 0, last_ = 0;  // In the row of whole and fraction.
};

/// Compares exactly by value: 1, 1.0 and 10e-1 are equal.
std::strong_ordering compare(const JsonDecimal& left, const JsonDecimal& right);

/// The divisor of a `multipleOf`.
class DecimalDivisor {
 public:
  /// Nothing for a token that is zero, negative, or has more than 19 significant digits.
  static std::optional<DecimalDivisor> read(std::string_view token);

  /// Whether `value` is an integer times the divisor.
  /// Cost: one pass over the digits.
  bool divides(const JsonDecimal& value) const;

 private:
  std::uint64_t digits_ = 1;
  std::int64_t scale_ = 0;
};

}  // namespace bartizan
