#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bartizan {

/// Length of the JSON number at the start of `text`, or 0 when there is none. Source: RFC 8259 §6.
std::size_t json_number_size(std::string_view text);

/// Whether the JSON number `token` is an integer beyond u64 or i64, or overflows a double.
bool is_unrepresentable(std::string_view token);

/// The value of a JSON number that has no fraction and fits an int64, whatever its spelling.
/// No double is involved, so no digit is lost. Cost: one pass.
std::optional<std::int64_t> integer_of(std::string_view token);

/// The double nearest to a JSON number; empty when it overflows.
std::optional<double> double_of(std::string_view token);

}  // namespace bartizan
