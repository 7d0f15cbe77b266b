#include "policy/text/base64_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bartizan {
namespace {

constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values = {};
  values.fill(kNone);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  values['+'] = values['-'] = 62;
  values['/'] = values['_'] = 63;
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = make_values();

}  // namespace

std::string decode_base64_prefix(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t size = 0;
  unsigned group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const unsigned value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) break;
    group = (group << 6U) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[size++] = static_cast<char>((group >> bits) & 0xffU);
  }
  bytes.resize(size);
  return bytes;
}

std::string decode_base64_lines(std::string_view text) {
  std::string digits;
  digits.reserve(text.size());
  for (const char c : text)
    if (c != '\r' && c != '\n') digits += c;
  return decode_base64_prefix(digits);
}

}  // namespace bartizan
