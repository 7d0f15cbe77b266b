#pragma once

#include <algorithm>

namespace bartizan {

/// Whether `all` contains `one`.
bool contains(const auto& all, const auto& one) {
  return std::ranges::find(all, one) != std::ranges::end(all);
}

}  // namespace bartizan
