#include "policy/text/terminal_escape.h"

#include <algorithm>

namespace bartizan {
namespace {

constexpr char kEscape = '\x1B';
constexpr char kBell = '\x07';

bool is_between(char c, char low, char high) {
  return c >= low && c <= high;
}

/// The C1 control at a place, as the letter that follows ESC in its 7-bit form; 0 if there is none.
/// In UTF-8 it has two bytes.
char eight_bit_control(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '\xC2' || !is_between(text[at + 1], '\x80', '\x9F')) {
    return 0;
  }
  return static_cast<char>(text[at + 1] - 0x40);
}

std::size_t skip(std::string_view text, std::size_t at, char low, char high) {
  while (at < text.size() && is_between(text[at], low, high))
    ++at;
  return at;
}

/// The end of a control sequence whose parameters begin at `at`: after its final letter, if there
/// is one.
std::size_t sequence_end(std::string_view text, std::size_t at) {
  at = skip(text, at, '\x30', '\x3F');
  at = skip(text, at, '\x20', '\x2F');
  return at < text.size() && is_between(text[at], '\x40', '\x7E') ? at + 1 : at;
}

/// The end of a control string that begins at `at`, or `at` if nothing ends it. Strings with
/// pictures may have several lines.
std::size_t string_end(std::string_view text, std::size_t at, char opener) {
  const auto is_inside = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) return true;
    return c == '\t' || (opener == 'P' && (c == '\n' || c == '\r'));
  };
  std::size_t end = at;
  while (end < text.size() && is_inside(text[end]) && eight_bit_control(text, end) == 0)
    ++end;
  if (end == text.size()) return at;
  if (text[end] == kBell && opener == ']') return end + 1;
  if (eight_bit_control(text, end) == '\\') return end + 2;
  const bool is_ended = text[end] == kEscape && end + 1 < text.size() && text[end + 1] == '\\';
  return is_ended ? end + 2 : at;
}

}  // namespace

std::size_t terminal_escape_size(std::string_view text, std::size_t at) {
  constexpr std::string_view kStrings = "]PX^_";
  std::size_t behind = at + 2;
  char letter = 0;
  if (text[at] == kEscape) {
    if (at + 1 == text.size()) return 1;
    letter = text[at + 1];
  } else {
    letter = eight_bit_control(text, at);
    if (letter == 0) return 0;
  }
  if (letter == '[') return sequence_end(text, behind) - at;
  if (kStrings.contains(letter)) return string_end(text, behind, letter) - at;
  if (text[at] != kEscape) return 0;  // A control without a sequence.
  if (is_between(letter, '\x20', '\x2F')) {
    behind = skip(text, behind, '\x20', '\x2F');
    const bool is_final = behind < text.size() && is_between(text[behind], '\x30', '\x7E');
    return behind - at + (is_final ? 1 : 0);
  }
  return is_between(letter, '\x30', '\x7E') ? 2 : 1;
}

}  // namespace bartizan
