#pragma once

#include <cstddef>
#include <string_view>

namespace bartizan {

/// One character at the beginning of a text.
struct Utf8Character {
  char32_t value = 0xFFFD;
  std::size_t size = 0;  ///< 0 where the text is empty or does not begin with well-formed UTF-8.
};

/// Reads the first character. Overlong forms, surrogates and values above U+10FFFF are ill-formed.
/// Source: Unicode 15.0, table 3-7.
Utf8Character read_utf8(std::string_view text);

/// Whether the whole text is well-formed.
bool is_utf8(std::string_view text);

}  // namespace bartizan
