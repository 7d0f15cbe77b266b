#pragma once

#include <cstdint>

namespace bartizan {

/// Where something stands in the configuration, so that an error about it can say so.
struct Position {
  std::uint32_t file = 0;  ///< Index into `Config::files`.
  std::uint32_t line = 0;  ///< From 1; 0 when the value is a default.
  std::uint32_t column = 0;
};

}  // namespace bartizan
