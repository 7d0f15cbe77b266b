#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Length of the JSON number at the start of `text`, or 0 when there is none. Source: RFC 8259 §6.
std::size_t json_number_size(std::string_view text);

/// Whether the JSON number `token` is too large for a double, and not just rounded by it.
bool overflows_double(std::string_view token);

/// Whether the JSON number `token` is an integer beyond u64 or i64, or overflows a double.
bool exceeds_64_bits(std::string_view token);

/// The value of a JSON number that has no fraction and fits an int64, whatever its spelling.
/// No double is involved, so no digit is lost. Cost: one pass.
std::optional<std::int64_t> integer_of(std::string_view token);

/// What a program that has doubles for all but integers of 64 bits reads where a JSON number
/// stands, as short as it can be written; nothing where that is the same number. `0.1` and `19.99`
/// are the same, since that is what the nearest doubles are written as; `0.30000000000000000001` is
/// `0.3`, `1e-400` is `0`, `100000000000000000001` is `1e+20`, and `1e400` the largest double. An
/// integer that an i64 or u64 holds is the same.
///
/// Cost: none for short numbers; two conversions otherwise.
std::optional<std::string> double_reading(std::string_view token);

/// The double nearest to a JSON number; empty when it overflows.
std::optional<double> double_of(std::string_view token);

}  // namespace bartizan
