#pragma once

#include <cstddef>
#include <string_view>

namespace bartizan {

/// How an `Accept` list rates `type/subtype`, by its most specific media range that covers the
/// type. The quality is 0 if no range covers it.
struct MediaPreference {
  double quality = 0;
  std::size_t place = 0;  ///< The position of the range in the list.
};
MediaPreference preference(std::string_view accept, std::string_view type);
/// Whether the list covers that type at all.
bool accepts(std::string_view accept, std::string_view type);
/// Whether the list prefers `first` to `second`: by quality, and by order if the qualities are
/// equal.
bool prefers(std::string_view accept, std::string_view first, std::string_view second);

}  // namespace bartizan
