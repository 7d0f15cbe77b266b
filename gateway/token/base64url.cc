#include "gateway/token/base64url.h"

#include <array>
#include <cstdint>

#include "schemas/base/bytes.h"

namespace bartizan {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

}  // namespace

std::optional<std::string> decode_base64url(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3 + kJsonPadding);
  std::uint32_t bits = 0;
  unsigned held = 0;  // Bits that are not part of a byte yet.
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kNone) return std::nullopt;
    bits = bits << 6 | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xff);
    bits &= (1U << held) - 1;
  }
  // Two texts for one content would be two tokens with one signature.
  if (bits != 0) return std::nullopt;
  return out;
}

std::string encode_base64url(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned held = 0;  // Bits that are not part of a letter yet.
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    held += 8;
    for (; held >= 6; held -= 6)
      out += kAlphabet[bits >> (held - 6) & 63];
  }
  if (held > 0) out += kAlphabet[bits << (6 - held) & 63];
  return out;
}

}  // namespace bartizan
