#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Finds the ranges of parts of a string's value in its JSON text: the `b` of `"a\u0062c"` is the
/// six bytes of its escape. A part that cuts an escape includes all of it.
///
/// Lifetime: points into the text.
/// Cost:     one pass over the text for all parts together.
class StringRanges {
 public:
  /// Input: with its quotes, as a parser accepted it.
  explicit StringRanges(std::string_view quoted) : inside_(quoted.substr(1, quoted.size() - 2)) {}

  /// Input:  a part of the value that begins at or after the end of the part before.
  /// Output: offsets into the text, quotes counted.
  ByteRange find(ByteRange part);

 private:
  /// The unit at `at_`: an escape, or the text before the next one.
  struct Unit {
    std::size_t size, value_size;
    bool is_escape;
  };
  Unit read_unit();

  std::string_view inside_;
  std::size_t at_ = 0;       ///< Start of a unit in the text.
  std::size_t decoded_ = 0;  ///< Start of that unit in the value.
  std::string escaped_;
};

}  // namespace bartizan
