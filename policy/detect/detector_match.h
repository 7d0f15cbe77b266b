#pragma once

#include <algorithm>
#include <cstddef>

#include "policy/detect/detector.h"

namespace bartizan {

/// A place in a text where a detector found something.
struct DetectorMatch {
  std::size_t begin, end;  ///< What is to be masked: bytes of the text, [begin, end).
  DetectorId detector;
  /// What it is part of: for `url.*` the whole URL, else the same as begin and end.
  std::size_t whole_begin, whole_end;

  /// Takes in another that overlaps it.
  void join(const DetectorMatch& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
    whole_begin = std::min(whole_begin, other.whole_begin);
    whole_end = std::max(whole_end, other.whole_end);
  }

  bool operator==(const DetectorMatch&) const = default;
};

}  // namespace bartizan
