#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Length of the JSON number at the start of `text`, or 0 without one. Source: RFC 8259 §6.
std::size_t json_number_size(std::string_view text);

/// Whether the JSON number `token` is too large for a double, and not only rounded by it.
bool overflows_double(std::string_view token);

/// Whether the JSON number `token` is an integer beyond u64 or i64, or overflows a double.
bool exceeds_64_bits(std::string_view token);

/// The value of a JSON number without fraction that fits an int64, in any spelling. It never
/// becomes a double, so no digit is lost.
/// Cost: one pass.
std::optional<std::int64_t> integer_of(std::string_view token);

/// The number that a program reads if it has doubles, and integers of 64 bits, in its shortest
/// spelling. Nothing if it is the same number as `token`. `0.1` and `19.99` are the same, because
/// their nearest doubles are written so. `0.30000000000000000001` is `0.3`, `1e-400` is `0`, and
/// `100000000000000000001` is `1e+20`. `1e400` is the largest double. An integer that fits an i64
/// or u64 is the same.
///
/// Cost: none for short numbers; otherwise two conversions.
std::optional<std::string> double_reading(std::string_view token);

/// The double nearest to a JSON number. Empty if it overflows.
std::optional<double> double_of(std::string_view token);

}  // namespace bartizan
