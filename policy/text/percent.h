#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace bartizan {

/// The value of a hexadecimal digit in either case.
constexpr std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

/// The byte that the percent sign at `place` and the next two digits encode; nothing if there are
/// no two digits. Source: RFC 3986 §2.1.
constexpr std::optional<unsigned char> escaped_byte(std::string_view text, std::size_t place) {
  if (place + 2 >= text.size()) return std::nullopt;
  const auto high = hex_digit(text[place + 1]);
  const auto low = hex_digit(text[place + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<unsigned char>(*high * 16 + *low);
}

}  // namespace bartizan
