#pragma once

#include <algorithm>
#include <cstddef>

#include "policy/detect/detector.h"

namespace bartizan {

/// A match of a detector in a text.
struct DetectorMatch {
  std::size_t begin, end;  ///< The bytes to mask: [begin, end).
  DetectorId detector;
  /// The larger whole: for `url.*` the whole URL, otherwise the same as begin and end.
  std::size_t whole_begin, whole_end;

  /// Extends this match by one that overlaps it.
  void join(const DetectorMatch& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    whole_begin = std::min(whole_begin, other.whole_begin);
    whole_end = std::max(whole_end, other.whole_end);
  }

  bool operator==(const DetectorMatch&) const = default;
};

}  // namespace bartizan
