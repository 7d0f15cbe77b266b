#pragma once

#include <algorithm>
#include <functional>

namespace bartizan {

/// Puts all in order, and of those that have the same place in it keeps one.
template <typename Sequence, typename Place = std::identity>
void keep_each_once(Sequence& all, Place place = {}) {
  std::ranges::sort(all, {}, place);
  const auto again = std::ranges::unique(all, {}, place);
  all.erase(again.begin(), again.end());
}

}  // namespace bartizan
