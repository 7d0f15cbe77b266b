#include "policy/injection/fold_injection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

#include "policy/text/character_kind.h"
#include "policy/text/fold_name.h"
#include "policy/text/revealed_text.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Letters that look like Latin ones, in the order of Unicode. Capitals are listed, too, since some
/// look like another letter than their small form.
/// Source: Unicode 15.0, confusables.txt, of which those that are written in alphabets.
constexpr auto kLookAlike = std::to_array<std::pair<char32_t, char>>({
    {0x0131, 'i'}, {0x0261, 'g'}, {0x0269, 'i'}, {0x037F, 'j'}, {0x0391, 'a'}, {0x0392, 'b'},
    {0x0395, 'e'}, {0x0396, 'z'}, {0x0397, 'h'}, {0x0399, 'i'}, {0x039A, 'k'}, {0x039C, 'm'},
    {0x039D, 'n'}, {0x039F, 'o'}, {0x03A1, 'p'}, {0x03A4, 't'}, {0x03A5, 'y'}, {0x03A7, 'x'},
    {0x03B1, 'a'}, {0x03B5, 'e'}, {0x03B9, 'i'}, {0x03BA, 'k'}, {0x03BD, 'v'}, {0x03BF, 'o'},
    {0x03C1, 'p'}, {0x03C4, 't'}, {0x03C5, 'u'}, {0x03C7, 'x'}, {0x03F2, 'c'}, {0x03F3, 'j'},
    {0x03F9, 'c'}, {0x0405, 's'}, {0x0406, 'i'}, {0x0408, 'j'}, {0x0410, 'a'}, {0x0412, 'b'},
    {0x0415, 'e'}, {0x041A, 'k'}, {0x041C, 'm'}, {0x041D, 'h'}, {0x041E, 'o'}, {0x0420, 'p'},
    {0x0421, 'c'}, {0x0422, 't'}, {0x0423, 'y'}, {0x0425, 'x'}, {0x0430, 'a'}, {0x0435, 'e'},
    {0x043A, 'k'}, {0x043C, 'm'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'}, {0x0442, 't'},
    {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'}, {0x0456, 'i'}, {0x0458, 'j'}, {0x04AE, 'y'},
    {0x04AF, 'y'}, {0x04BA, 'h'}, {0x04BB, 'h'}, {0x04C0, 'i'}, {0x04CF, 'l'}, {0x0500, 'd'},
    {0x0501, 'd'}, {0x050C, 'g'}, {0x051A, 'q'}, {0x051B, 'q'}, {0x051C, 'w'}, {0x051D, 'w'},
});
static_assert(std::ranges::is_sorted(kLookAlike, {}, &std::pair<char32_t, char>::first));

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(at < text.size() ? text[at] : '\0');
}

/// The first byte from there on that is not ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::size_t kBlock = 64;
  const char* bytes = text.data();
  // Blocks without branches, so that compilers emit vector code.
  for (; at + kBlock <= text.size(); at += kBlock) {
    unsigned char all = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      all |= static_cast<unsigned char>(bytes[at + i]);
    if (all >= 0x80) break;
  }
  while (at < text.size() && byte_at(text, at) < 0x80)
    ++at;
  return at;
}

/// Whether the `size` bytes at a position are beside a Latin letter. Only within a word do they
/// prevent a match.
bool is_beside_letter(std::string_view text, std::size_t at, std::size_t size) {
  return (at > 0 && is_letter(text[at - 1])) ||
         is_letter(static_cast<char>(byte_at(text, at + size)));
}

/// Whether a Cyrillic letter ends there.
bool is_behind_cyrillic(std::string_view text, std::size_t at) {
  return at >= 2 && (byte_at(text, at - 2) == 0xD0 || byte_at(text, at - 2) == 0xD1);
}

/// Whether the character that begins there is folded to another one, or removed.
bool is_folded_there(std::string_view text, std::size_t at) {
  const unsigned char second = byte_at(text, at + 1);
  const unsigned char third = byte_at(text, at + 2);
  switch (byte_at(text, at)) {
    case 0xC2:  // A soft hyphen.
      return second == 0xAD && is_beside_letter(text, at, 2);
    case 0xC3:  // Capitals with accents within a word: literals are found in any case of ASCII
                // only.
      return second <= 0x9E && at > 0 && is_letter(text[at - 1]);
    case 0xC4:  // An i without its dot, sometimes used for an i.
    case 0xC9:  // Phonetic letters.
    case 0xCD:  // A joiner of marks.
    case 0xCE:
    case 0xCF:  // Greek.
    case 0xD1:
    case 0xD2:
    case 0xD3:
    case 0xD4:  // Cyrillic.
      return is_beside_letter(text, at, 2);
    case 0xD0:  // Cyrillic: capitals after a Cyrillic letter are folded.
      if (second <= 0xAF && is_behind_cyrillic(text, at)) return true;
      return is_beside_letter(text, at, 2);
    case 0xE1:  // Superscript letters, fillers, invisible marks.
      return (second == 0x85 || second == 0x9E || second == 0xA0 || second == 0xB4 ||
              second == 0xB5) &&
             is_beside_letter(text, at, 3);
    case 0xE2:
      // Letters of mathematics and in circles; characters without width, and directions.
      if (second == 0x84 || second == 0x85 || second == 0x92 || second == 0x93) return true;
      return (second == 0x80 || second == 0x81) && is_beside_letter(text, at, 3);
    case 0xEF:
      // Double width; selectors, a byte order mark.
      if ((second == 0xBC && third >= 0x9C) || second == 0xBD) return true;
      return (second == 0xB8 || second == 0xBB) && is_beside_letter(text, at, 3);
    case 0xF0:  // Letters of mathematics and in boxes.
      return second == 0x9D || (second == 0x9F && (third == 0x84 || third == 0x85));
    case 0xF3:  // Tags and selectors.
      return is_beside_letter(text, at, 4);
    default:
      return false;
  }
}

char look_alike(char32_t character) {
  const auto same =
      std::ranges::lower_bound(kLookAlike, character, {}, &std::pair<char32_t, char>::first);
  return same == kLookAlike.end() || same->first != character ? '\0' : same->second;
}

/// Replaces look-alikes in each word with a Latin letter.
std::string without_look_alikes(std::string_view text) {
  std::string left;
  left.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    bool has_latin = false;
    while (end < text.size() && (is_letter(text[end]) || byte_at(text, end) >= 0x80)) {
      has_latin |= is_letter(text[end]);
      ++end;
    }
    if (end == at || !has_latin) {
      end = std::max(end, at + 1);
      left += text.substr(at, end - at);
      at = end;
      continue;
    }
    while (at < end) {
      const ReadCharacter read = read_character(text, at);
      const char letter = read.value < 0x80 ? '\0' : look_alike(read.value);
      if (letter != '\0') {
        left += letter;
      } else {
        left += text.substr(at, read.size);
      }
      at += read.size;
    }
  }
  return left;
}

}  // namespace

bool needs_folding(std::string_view text) {
  // Hidden characters, written out.
  if (text.contains("[U+")) return true;
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    for (; at < text.size() && byte_at(text, at) >= 0x80; ++at) {
      if (is_folded_there(text, at)) return true;
    }
  }
  return false;
}

std::string fold_injection(std::string_view text) {
  RevealedText seen_through;
  if (seen_through.start(text, Hiding::marks)) text = seen_through.text();
  if (is_ascii(text)) {
    std::string lower(text.size(), '\0');
    std::ranges::transform(text, lower.begin(), lower_case);
    return lower;
  }
  // Before and after capitals are folded: letters of mathematics are Latin ones afterwards.
  const std::string latin = without_look_alikes(text);
  const auto folded = fold_name(latin, std::pmr::get_default_resource());
  const std::string_view seen = folded.has_value() ? std::string_view(*folded) : latin;
  return is_ascii(seen) ? std::string(seen) : without_look_alikes(seen);
}

}  // namespace bartizan
