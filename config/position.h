#pragma once

#include <cstdint>

namespace bartizan {

/// A place in the configuration, for error messages.
struct Position {
  std::uint32_t file = 0;  ///< Index into `Config::files`.
  std::uint32_t line = 0;  ///< From 1; 0 for a default value.
  std::uint32_t column = 0;
};

}  // namespace bartizan
