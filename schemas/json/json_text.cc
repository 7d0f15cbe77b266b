#include "schemas/json/json_text.h"

#include <algorithm>
#include <cstdint>

#include "schemas/json/json.h"

namespace bartizan {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80;
}

/// The range of the second byte. Excludes overlong forms, surrogates and values beyond U+10FFFF.
struct SecondByte {
  unsigned char low, high;
};

SecondByte second_byte(unsigned char first) {
  switch (first) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

/// Code points of valid UTF-8: all bytes except continuations.
std::uint64_t length_of(std::string_view text) {
  std::uint64_t length = 0;
  for (const char c : text)
    length += is_continuation(static_cast<unsigned char>(c)) ? 0 : 1;
  return length;
}

std::size_t sequence_size_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

std::uint32_t hex_digit(unsigned char c) {
  if (c >= '0' && c <= '9') return c - std::uint32_t{'0'};
  return (c | 0x20U) - std::uint32_t{'a'} + 10;
}

std::uint32_t hex_unit(std::string_view text, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i)
    unit = unit * 16 + (hex_digit(byte_at(text, at + i)) & 15U);
  return unit;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | (code >> 6));
    return put(0x80U | (code & 0x3FU));
  }
  if (code < 0x10000) {
    put(0xE0U | (code >> 12));
    put(0x80U | ((code >> 6) & 0x3FU));
    return put(0x80U | (code & 0x3FU));
  }
  put(0xF0U | ((code >> 18) & 0x07U));
  put(0x80U | ((code >> 12) & 0x3FU));
  put(0x80U | ((code >> 6) & 0x3FU));
  put(0x80U | (code & 0x3FU));
}

/// Appends the character of the `\u` escape whose digits begin at `at`. Returns the bytes that it
/// took after `at`, including the second half of a pair.
std::size_t append_unicode_escape(std::string& out, std::string_view inside, std::size_t at) {
  const std::uint32_t unit = hex_unit(inside, at);
  const bool is_pair = unit >= 0xD800 && unit < 0xDC00;
  if (!is_pair) {
    append_utf8(out, unit);
    return 4;
  }
  const std::uint32_t low = hex_unit(inside, at + 6);
  append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + ((low - 0xDC00) & 0x3FFU));
  return 10;
}

char simple_escape(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return letter;
  }
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u00";
  out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
  out.push_back(kHex[static_cast<unsigned char>(c) & 15U]);
}

}  // namespace

std::size_t utf8_sequence_size(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const std::size_t size = sequence_size_of(first);
  if (size <= 1) return at < text.size() ? size : 0;
  if (at + size > text.size()) return 0;
  const SecondByte allowed = second_byte(first);
  const unsigned char second = byte_at(text, at + 1);
  if (second < allowed.low || second > allowed.high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (!is_continuation(byte_at(text, at + i))) return 0;
  }
  return size;
}

Utf8Character read_utf8(std::string_view text) {
  const std::size_t size = utf8_sequence_size(text, 0);
  if (size == 0) return {};
  const unsigned char lead = byte_at(text, 0);
  if (size == 1) return {.value = lead, .size = size};
  // In the first byte, the sequence length takes one bit more than the sequence has bytes. In each
  // other byte two bits are markers.
  char32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i)
    value = value * 64 + (byte_at(text, i) & 0x3FU);
  return {.value = value, .size = size};
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = utf8_sequence_size(text, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

bool is_longer(std::string_view text, std::uint64_t length) {
  return text.size() > length && length_of(text) > length;
}

bool is_shorter(std::string_view text, std::uint64_t length) {
  constexpr std::size_t kBytesMax = 4;  // Of a code point.
  const bool is_surely_not = text.size() / kBytesMax >= length;
  return !is_surely_not && length_of(text) < length;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = byte_at(text, i);
    if (byte < 0x20 || byte == 0x7F) return true;
    if (byte == 0xC2 && byte_at(text, i + 1) < 0xA0) return true;
  }
  return false;
}

void append_unescaped(std::string& out, std::string_view inside) {
  std::size_t at = 0;
  while (at < inside.size()) {
    const std::size_t escape = std::min(inside.find('\\', at), inside.size());
    out.append(inside, at, escape - at);
    if (escape + 1 >= inside.size()) return;
    at = escape + 2;
    if (inside[escape + 1] == 'u') {
      at += append_unicode_escape(out, inside, at);
    } else {
      out.push_back(simple_escape(inside[escape + 1]));
    }
  }
}

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

std::string json_string_inside(std::string_view text) {
  const std::string quoted = json_string(text);
  return quoted.substr(1, quoted.size() - 2);
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, kept, i - kept);
    append_escaped(out, text[i]);
    kept = i + 1;
  }
  out.append(text, kept);
  out.push_back('"');
}

std::string pointer_below(std::string pointer, std::string_view name) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~' || c == '/') {
      pointer += c == '~' ? "~0" : "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::optional<std::string> unescape_pointer_token(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      text.push_back(token[i]);
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    text.push_back(token[i] == '0' ? '~' : '/');
  }
  return text;
}

std::string_view utf8_head(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return text.substr(0, end);
}

}  // namespace bartizan
