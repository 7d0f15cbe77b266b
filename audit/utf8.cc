#include "audit/utf8.h"

#include <cstdint>

namespace bartizan {
namespace {

bool is_scalar(char32_t value, char32_t smallest) {
  return value >= smallest && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

// `smallest` is the least value that needs `size` bytes, so that overlong forms fail.
Utf8Character read_long(std::string_view text, std::size_t size, char32_t smallest) {
  if (text.size() < size) return {};
  auto value = static_cast<char32_t>(static_cast<std::uint8_t>(text[0]) & (0x7F >> size));
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = value << 6 | (byte & 0x3F);
  }
  if (!is_scalar(value, smallest)) return {};
  return {.value = value, .size = size};
}

}  // namespace

Utf8Character read_utf8(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) return {.value = lead, .size = 1};
  if ((lead & 0xE0) == 0xC0) return read_long(text, 2, 0x80);
  if ((lead & 0xF0) == 0xE0) return read_long(text, 3, 0x800);
  if ((lead & 0xF8) == 0xF0) return read_long(text, 4, 0x10000);
  return {};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = read_utf8(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace bartizan
