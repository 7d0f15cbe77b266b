#pragma once

#include <cstddef>
#include <string_view>

namespace bartizan {

/// How much an `Accept` list wants `type/subtype`, by its media range that fits best: none where
/// nothing covers it.
struct MediaPreference {
  double quality = 0;
  std::size_t place = 0;  ///< Of the range in the list.
};
MediaPreference preference(std::string_view accept, std::string_view type);
/// Whether the list covers that type at all.
bool accepts(std::string_view accept, std::string_view type);
/// Whether it wants `first` more than `second`, by quality, and of equals by their order.
bool prefers(std::string_view accept, std::string_view first, std::string_view second);

}  // namespace bartizan
