#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bartizan {

/// `, line 3, column 14` for an offset; empty if it is negative. Columns are in bytes, as in the
/// positions of a configuration.
inline std::string describe_place(std::string_view text, std::int64_t offset) {
  if (offset < 0) return {};
  const std::string_view before = text.substr(0, static_cast<std::size_t>(offset));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return fmt::format(", line {}, column {}", line, column);
}

}  // namespace bartizan
