#pragma once

#include <cstddef>

#include "policy/detector.h"

namespace bartizan {

/// A place in a text where a detector found something.
struct Sighting {
  std::size_t begin, end;  ///< What is to be masked: bytes of the text, [begin, end).
  DetectorId detector;
  /// What it is part of: for `url.*` the whole URL, else the same as begin and end.
  std::size_t whole_begin, whole_end;

  bool operator==(const Sighting&) const = default;
};

}  // namespace bartizan
