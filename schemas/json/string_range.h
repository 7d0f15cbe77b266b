#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"

namespace bartizan {

/// Finds where parts of a string's value stand in its JSON text: of `"a\u0062c"` the `b` is the six
/// bytes of its escape. A part that cuts an escape takes it whole.
///
/// Lifetime: views the text.
/// Cost:     one pass over the text for all parts together.
class StringRanges {
 public:
  /// Input: with its quotes, as an accepting parser has seen it.
  explicit StringRanges(std::string_view quoted) : inside_(quoted.substr(1, quoted.size() - 2)) {}

  /// Input:  a part of the value that begins where the one before ended, or behind it.
  /// Output: offsets into the text, quotes counted.
  ByteRange find(ByteRange part);

 private:
  /// What stands at `at_`: an escape, or what comes before the next one.
  struct Unit {
    std::size_t size, value_size;
    bool is_escape;
  };
  Unit read_unit();

  std::string_view inside_;
  std::size_t at_ = 0;       ///< In the text …
  std::size_t decoded_ = 0;  ///< … and in the value: where a unit begins.
  std::string escaped_;
};

}  // namespace bartizan
