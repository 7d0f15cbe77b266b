#include "policy/path/path_spelling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include "policy/path/path_components.h"
#include "policy/text/percent.h"
#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// `file:`, `php:` and `C:` alike: a program that reads a scheme or a drive there leaves the root.
bool has_scheme(std::string_view path) {
  const auto end = std::ranges::find_if_not(
      path, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; });
  return end != path.end() && *end == ':' && is_letter(path.front());
}

/// `%u002e`, which no standard defines and some programs still decode.
bool has_percent_u(std::string_view text) {
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    if (i + 5 >= text.size() || (text[i + 1] | 0x20) != 'u') continue;
    if (hex_digit(text[i + 2]) && hex_digit(text[i + 3]) && hex_digit(text[i + 4]) &&
        hex_digit(text[i + 5])) {
      return true;
    }
  }
  return false;
}

/// Characters that compatibility normalisation, or Windows' best fit, turns into a dot, a
/// separator, a percent sign or a tilde, or into a text with one. Source: Unicode 15.0, NFKC
/// decompositions.
constexpr std::array<std::int32_t, 22> kLookAlikes{
    0x2024, 0x2025, 0x2026, 0x2044, 0x2100, 0x2101, 0x2105, 0x2106, 0x2215, 0x2216, 0x29f5,
    0x29f8, 0xfe19, 0xfe30, 0xfe52, 0xfe68, 0xfe6a, 0xff05, 0xff0e, 0xff0f, 0xff3c, 0xff5e};

/// Invisible characters, which some file systems drop. Joiners are not among them: words of several
/// scripts need them.
bool is_invisible(std::int32_t character) {
  constexpr std::int32_t kZeroWidthNonJoiner = 0x200c;
  constexpr std::int32_t kZeroWidthJoiner = 0x200d;
  if (character == kZeroWidthNonJoiner || character == kZeroWidthJoiner) return false;
  const auto category = u_charType(character);
  return category == U_CONTROL_CHAR || category == U_FORMAT_CHAR || category == U_LINE_SEPARATOR ||
         category == U_PARAGRAPH_SEPARATOR;
}

bool is_refused_character(std::int32_t character) {
  return std::ranges::binary_search(kLookAlikes, character) || is_invisible(character);
}

std::int32_t code_of(Utf8Character character) {
  return static_cast<std::int32_t>(character.value);
}

/// Input: valid UTF-8, not empty.
std::int32_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while ((text[at] & 0xc0) == 0x80)
    --at;
  return code_of(read_utf8(text.substr(at)));
}

bool is_nfc(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
  if (U_FAILURE(error)) return false;
  const auto size = static_cast<std::int32_t>(text.size());
  const bool normal = nfc->isNormalizedUTF8(icu::StringPiece(text.data(), size), error);
  return U_SUCCESS(error) && normal;
}

bool is_plain_ascii(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f;
}

/// No file system has longer names; a program that cuts them reads another name.
constexpr std::size_t kNameBytesMax = 255;

/// Dots with a special meaning in some programs. `...` before a file name climbs two directories in
/// old shells. `..;` is `..` to servers that cut parameters off. A file may have the name `...`.
bool has_odd_dots(std::string_view component, std::string_view behind) {
  const std::size_t dots = std::min(component.find_first_not_of('.'), component.size());
  if (dots == component.size()) return dots > 3 || (dots == 3 && !behind.empty());
  return dots > 0 && component[dots] == ';';
}

bool has_odd_component(std::string_view path) {
  // Nearly every path is short, and no name in it begins with a dot.
  if (path.size() <= kNameBytesMax && !has_leading_dot(path)) return false;
  Components components(path);
  while (const auto component = components.next()) {
    if (component->size() > kNameBytesMax) return true;
    if (has_odd_dots(*component, components.rest())) return true;
  }
  return false;
}

/// Source: Unicode 15.0, White_Space; ASCII without a look into the tables.
bool is_white_space(std::int32_t character) {
  if (character < 0x80) return character == ' ' || (character >= '\t' && character <= '\r');
  return u_isUWhiteSpace(character);
}

/// Text that programs remove or replace before they open a path: blanks at its ends, quotes around
/// it, a home directory or a variable in front. Input: valid UTF-8, not empty.
bool is_rewritten_by_some(std::string_view path) {
  if (std::string_view("~$\"'`").contains(path.front())) return true;
  return is_white_space(code_of(read_utf8(path))) || is_white_space(last_character(path));
}

/// No common system opens a longer path.
constexpr std::size_t kPathBytesMax = 4096;

}  // namespace

bool is_plain_unicode(std::string_view text) {
  if (is_ascii(text)) return true;
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return false;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const Utf8Character character = read_utf8(rest);
    if (character.size == 0 || is_refused_character(code_of(character))) return false;
    rest.remove_prefix(character.size);
  }
  return is_nfc(text);
}

bool is_ambiguous_path(std::string_view path) {
  return path.empty() || path.size() > kPathBytesMax ||
         !std::ranges::all_of(path, is_plain_ascii) || has_scheme(path) ||
         has_odd_component(path) || has_percent_u(path) || !is_plain_unicode(path) ||
         is_rewritten_by_some(path);
}

Decoded decode_escapes(std::pmr::string& path) {
  Decoded decoded = Decoded::nothing;
  std::size_t end = 0;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const auto byte = path[at] == '%' ? escaped_byte(path, at) : std::nullopt;
    path[end++] = byte ? static_cast<char>(*byte) : path[at];
    if (!byte) continue;
    at += 2;
    const bool is_odd = *byte == '.' || *byte == '\\';
    decoded = std::max(decoded, is_odd ? Decoded::odd : Decoded::plain);
  }
  path.resize(end);
  return decoded;
}

}  // namespace bartizan
