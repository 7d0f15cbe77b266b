#pragma once

#include <algorithm>
#include <functional>

namespace bartizan {

/// Sorts `all` by `place`, and keeps one of several elements with an equal `place`.
template <typename Sequence, typename Place = std::identity>
void keep_each_once(Sequence& all, Place place = {}) {
  std::ranges::sort(all, {}, place);
  const auto again = std::ranges::unique(all, {}, place);
  all.erase(again.begin(), again.end());
}

}  // namespace bartizan
