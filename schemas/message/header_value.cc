#include "schemas/message/header_value.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "schemas/json/json_number.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}
constexpr std::array<std::uint8_t, 256> kDigits = make_digits();

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_sentinel(std::string_view value) {
  return value.size() >= kPrefix.size() + kSuffix.size() && value.starts_with(kPrefix) &&
         value.ends_with(kSuffix);
}

bool is_visible(char c) {
  return c > 0x20 && c < 0x7F;
}

bool is_header_safe(std::string_view text) {
  if (text.empty()) return true;
  if (is_blank(text.front()) || is_blank(text.back()) || is_sentinel(text)) return false;
  return std::ranges::all_of(text, [](char c) { return is_visible(c) || is_blank(c); });
}

/// Four digits as one number. Nothing if one is not a Base64 digit.
std::optional<std::uint32_t> quantum(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const std::uint32_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return std::nullopt;
    value = value << 6 | digit;
  }
  return value << (6 * (4 - digits.size()));
}

void append_bytes(std::string& out, std::uint32_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<char>(value >> (16 - 8 * i) & 0xFFU));
  }
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::string_view digits = text.substr(at, 4);
    if (at + 4 == text.size()) {
      if (digits.ends_with('=')) digits.remove_suffix(1);
      if (digits.ends_with('=')) digits.remove_suffix(1);
    }
    const std::optional<std::uint32_t> value = quantum(digits);
    if (!value || digits.size() < 2) return std::nullopt;
    const std::size_t count = digits.size() - 1;
    // Bits that belong to no byte must be zero. Otherwise one value had several spellings.
    if ((*value & (0xFFFFFFU >> (8 * count))) != 0) return std::nullopt;
    append_bytes(out, *value, count);
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t value = 0;
    for (const char c : group)
      value = value << 8 | static_cast<unsigned char>(c);
    value <<= 8 * (3 - group.size());
    for (std::size_t i = 0; i < 4; ++i) {
      out.push_back(i <= group.size() ? kAlphabet[value >> (18 - 6 * i) & 63U] : '=');
    }
  }
  return out;
}

std::optional<std::string> decode_header_value(std::string_view value) {
  while (!value.empty() && is_blank(value.front()))
    value.remove_prefix(1);
  while (!value.empty() && is_blank(value.back()))
    value.remove_suffix(1);
  if (!is_sentinel(value)) return std::string(value);
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  std::optional<std::string> decoded = decode_base64(value);
  if (!decoded || !is_valid_utf8(*decoded)) return std::nullopt;
  return decoded;
}

std::string encode_header_text(std::string_view text) {
  if (is_header_safe(text)) return std::string(text);
  std::string out(kPrefix);
  out += encode_base64(text);
  out += kSuffix;
  return out;
}

std::optional<std::string> encode_header_value(JsonValue value) {
  if (value.is(JsonType::string)) return encode_header_text(value.text());
  if (value.is(JsonType::boolean)) return std::string(value.raw());
  if (const std::optional<std::int64_t> integer = value.integer()) return std::to_string(*integer);
  return std::nullopt;
}

bool header_equals(std::string_view decoded, JsonValue value) {
  if (value.is(JsonType::string)) return decoded == value.text();
  if (value.is(JsonType::boolean)) return decoded == value.raw();
  if (!value.is(JsonType::number)) return false;
  if (decoded == value.raw()) return true;
  if (decoded.empty() || json_number_size(decoded) != decoded.size()) return false;
  const std::optional<std::int64_t> integer = value.integer();
  return integer && integer == integer_of(decoded);
}

}  // namespace bartizan
