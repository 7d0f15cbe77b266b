#include "policy/text/hidden_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "policy/text/character_kind.h"
#include "policy/text/terminal_escape.h"
#include "schemas/base/byte_block.h"

namespace bartizan {
namespace {

constexpr std::array<std::string_view, kHiddenKindCount> kNames{
    "control",     "escape",      "line-break", "zero-width",   "bidi",       "tag",    "selector",
    "soft-hyphen", "private-use", "unassigned", "noncharacter", "annotation", "format", "marks"};

/// More common marks on one letter than writing needs. Hebrew with accents, Tibetan and similar
/// scripts stack their own marks. Common marks are stacked to hide the text below.
/// Source: UTS 39 §5.4, "Optional Detection", is stricter; Unicode 15 §23.2.
constexpr std::size_t kCommonMarksMax = 4;
constexpr std::size_t kScriptMarksMax = 10;

constexpr char32_t kEmojiSelector = 0xFE0F;
constexpr char32_t kBrailleBlank = 0x2800;

bool is_in(char32_t character, char32_t low, char32_t high) {
  return character >= low && character <= high;
}

/// The first place that must be examined: skips bytes that are visible.
std::size_t skip_plain(std::string_view text, std::size_t at) {
  // Words of other scripts have only a space between them, and names are short.
  constexpr std::size_t kNear = 16;
  const std::size_t near = std::min(text.size(), at + kNear);
  while (at < near && text[at] >= ' ' && text[at] != '\x7F')
    ++at;
  if (at < near && static_cast<unsigned char>(text[at]) >= 0x80) return at;
  for (; at < text.size(); at += ByteBlock::kBytes) {
    const ByteBlock block(text, at);
    std::uint64_t doubtful = block.below(' ') | block.equal('\x7F');
    if (doubtful == 0) continue;
    const std::size_t end = at + ByteBlock::kBytes;
    const std::uint64_t ends_line = end < text.size() && text[end] == '\n' ? 1 : 0;
    const std::uint64_t breaks = block.equal('\n');
    // The bytes before a line break.
    const std::uint64_t broken = breaks >> 1U | ends_line << (ByteBlock::kBytes - 1);
    doubtful &= ~(breaks | block.equal('\t') | (block.equal('\r') & broken));
    if (doubtful != 0) return at + static_cast<std::size_t>(std::countr_zero(doubtful));
  }
  return text.size();
}

bool is_joiner(char32_t character) {
  return character == 0x200C || character == 0x200D;
}

bool is_variation_selector(char32_t character) {
  return is_in(character, 0xFE00, 0xFE0F) || is_in(character, 0xE0100, 0xE01EF) ||
         is_in(character, 0x180B, 0x180D) || character == 0x180F;
}

bool is_tag(char32_t character) {
  return is_in(character, 0xE0000, 0xE007F);
}

bool is_mongolian(char32_t character) {
  return is_in(character, 0x1800, 0x18AF) && !is_variation_selector(character) &&
         character != 0x180E;
}

bool is_braille(char32_t character) {
  return is_in(character, 0x2800, 0x28FF);
}

bool is_mark_of_direction(char32_t character) {
  return character == 0x061C || is_in(character, 0x200E, 0x200F);
}

bool is_ascii_letter_or_digit(char32_t character) {
  return character < 0x80 && is_letter_or_digit(character);
}

bool is_noncharacter(char32_t character) {
  return (character & 0xFFFEU) == 0xFFFEU || is_in(character, 0xFDD0, 0xFDEF);
}

HiddenKind kind_of(char32_t character) {
  const bool is_line_break =
      is_in(character, 0x0B, 0x0D) || character == 0x85 || is_in(character, 0x2028, 0x2029);
  if (is_line_break) return HiddenKind::line_break;
  if (character < 0xA0) return HiddenKind::control;
  if (character == 0xAD) return HiddenKind::soft_hyphen;
  if (is_variation_selector(character)) return HiddenKind::variation_selector;
  if (is_tag(character)) return HiddenKind::tag;
  if (is_in(character, 0xFFF9, 0xFFFB)) return HiddenKind::annotation;
  const bool is_bidi = is_mark_of_direction(character) || is_in(character, 0x202A, 0x202E) ||
                       is_in(character, 0x2066, 0x2069);
  if (is_bidi) return HiddenKind::bidi;
  if (is_noncharacter(character)) return HiddenKind::noncharacter;
  if (is_in(character, 0xE000, 0xF8FF) || character >= 0xF0000) return HiddenKind::private_use;
  constexpr std::array<char32_t, 19> kZeroWidth{
      0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B,  0x200C,  0x200D, 0x2060,
      0x2061, 0x2062, 0x2063, 0x2064, 0x2800, 0x3164, 0x1D159, 0x13441, 0x13442};
  for (const char32_t one : kZeroWidth) {
    if (one == character) return HiddenKind::zero_width;
  }
  if (character == 0xFEFF || character == 0xFFA0) return HiddenKind::zero_width;
  return is_unassigned(character) ? HiddenKind::unassigned : HiddenKind::format;
}

enum class Direction : std::uint8_t { none, left_to_right, right_to_left };

Direction direction_of(char32_t character) {
  if (classify(character) == CharacterKind::doubtful) return Direction::none;
  if (is_right_to_left(character)) return Direction::right_to_left;
  return is_left_to_right(character) ? Direction::left_to_right : Direction::none;
}

/// A search through one text. Only remaining characters count as preceding neighbours, so the
/// result is the same as after the removal of the earlier parts.
class HiddenSearch {
 public:
  explicit HiddenSearch(std::string_view text) : text_(text) {}

  /// Stops at the first part beyond `parts_max`.
  std::vector<HiddenPart> search(std::size_t parts_max) {
    for (std::size_t at = skip_plain(text_, 0); at < text_.size() && parts_.size() <= parts_max;) {
      const std::size_t end = step(at);
      const std::size_t next = skip_plain(text_, end);
      if (next > end) marks_ = 0;
      at = next;
    }
    return std::move(parts_);
  }

 private:
  /// Judges the character at a place, and returns its end.
  std::size_t step(std::size_t at);
  std::size_t step_doubtful(std::size_t at, ReadCharacter read);
  std::size_t hide(ByteRange range, HiddenKind kind);
  std::optional<std::size_t> hide_escape(std::size_t at);

  /// The size of the needed sequence at a place; 0 for a hidden character.
  std::size_t needed_size(std::size_t at, ReadCharacter read);
  bool is_joining(std::size_t at, char32_t joiner, char32_t next) const;
  bool varies(std::size_t at, char32_t selector) const;
  std::size_t flag_size(std::size_t at) const;
  std::size_t braille_size(std::size_t at);
  bool is_directing(std::size_t at, std::size_t end);
  bool is_formatting(std::size_t at, char32_t character, char32_t next) const;
  /// Whether the next character is visible.
  bool stays(char32_t next) const;

  /// The preceding remaining character; with `back`, so many before it.
  char32_t before(std::size_t at, std::size_t back = 0) const;
  char32_t after(std::size_t end) const {
    return end < text_.size() ? read_character(text_, end).value : kNoCharacter;
  }
  bool has_right_to_left_before(std::size_t at);
  Direction direction_after(std::size_t end) const;

  static constexpr std::size_t kKept = 3;

  std::string_view text_;
  std::vector<HiddenPart> parts_;
  /// The last remaining characters before the end of the last part.
  std::array<char32_t, kKept> kept_{kNoCharacter, kNoCharacter, kNoCharacter};
  std::size_t hidden_end_ = 0;
  std::size_t marks_ = 0;          ///< On the last letter.
  bool is_right_to_left_ = false;  ///< The line has such a letter before `line_end_`.
  std::size_t line_end_ = 0;       ///< The end of the examined part of the line.
  std::size_t blank_end_ = 0;      ///< Up to this place, blanks of braille are separate.
};

std::size_t HiddenSearch::step(std::size_t at) {
  const ReadCharacter read = read_character(text_, at);
  const std::size_t end = at + read.size;
  const CharacterKind of = classify(read.value);
  if (of == CharacterKind::doubtful) return step_doubtful(at, read);
  if (of == CharacterKind::plain) {
    marks_ = 0;
    return end;
  }
  const bool is_common = of == CharacterKind::common_mark;
  if (marks_ >= (is_common ? kCommonMarksMax : kScriptMarksMax)) {
    return hide({at, end}, HiddenKind::marks);
  }
  ++marks_;
  return end;
}

std::size_t HiddenSearch::step_doubtful(std::size_t at, ReadCharacter read) {
  if (const auto end = hide_escape(at)) return *end;
  if (const std::size_t size = needed_size(at, read); size > 0) return at + size;
  // A line ends there, with any line end.
  const HiddenKind kind = kind_of(read.value);
  if (kind == HiddenKind::line_break) marks_ = 0;
  return hide({at, at + read.size}, kind);
}

std::optional<std::size_t> HiddenSearch::hide_escape(std::size_t at) {
  const std::size_t size = terminal_escape_size(text_, at);
  if (size == 0) return std::nullopt;
  return hide({at, at + size}, HiddenKind::escape);
}

std::size_t HiddenSearch::hide(ByteRange range, HiddenKind kind) {
  std::array<char32_t, kKept> kept = kept_;
  for (std::size_t back = 0; back < kKept; ++back)
    kept[back] = before(range.begin, back);
  // Characters inside an escape have no direction.
  if (kind == HiddenKind::escape) {
    is_right_to_left_ = has_right_to_left_before(range.begin);
    line_end_ = range.end;
  }
  if (kind == HiddenKind::line_break) {
    kept = {'\n', kNoCharacter, kNoCharacter};
    is_right_to_left_ = false;
    line_end_ = range.end;
  }
  kept_ = kept;
  hidden_end_ = range.end;
  // Line breaks are separate parts, as each is replaced separately.
  const bool goes_on = !parts_.empty() && parts_.back().range.end == range.begin &&
                       parts_.back().kind == kind && kind != HiddenKind::line_break;
  if (goes_on) {
    parts_.back().range.end = range.end;
  } else {
    parts_.push_back({range, kind});
  }
  return range.end;
}

char32_t HiddenSearch::before(std::size_t at, std::size_t back) const {
  for (;; --back) {
    if (at <= hidden_end_) return back < kKept ? kept_[back] : kNoCharacter;
    const ReadCharacter read = read_character_before(text_, at);
    if (back == 0) return read.value;
    at -= read.size;
  }
}

std::size_t HiddenSearch::needed_size(std::size_t at, ReadCharacter read) {
  const char32_t character = read.value;
  const std::size_t end = at + read.size;
  const char32_t next = after(end);
  const auto only_if = [&read](auto needed) -> std::size_t { return needed ? read.size : 0; };
  if (character == '\r') return only_if(next == '\n');
  if (character == 0xFEFF) return only_if(at == 0);
  if (is_joiner(character)) return only_if(is_joining(at, character, next));
  if (is_variation_selector(character)) return only_if(varies(at, character));
  if (is_tag(character)) return flag_size(at);
  if (is_braille(character)) return braille_size(at);
  if (is_mark_of_direction(character)) return only_if(is_directing(at, end));
  return only_if(is_formatting(at, character, next));
}

bool HiddenSearch::stays(char32_t next) const {
  switch (classify(next)) {
    case CharacterKind::plain:
      return next != kNoCharacter;
    case CharacterKind::common_mark:
      return marks_ < kCommonMarksMax;
    case CharacterKind::script_mark:
      return marks_ < kScriptMarksMax;
    case CharacterKind::doubtful:
      return false;
  }
  return false;
}

/// Source: UTS 51, ED-16; RFC 5892, appendix A, is stricter than actual usage: Persian separates
///         endings from any word.
bool HiddenSearch::is_joining(std::size_t at, char32_t joiner, char32_t next) const {
  constexpr char32_t kJoiner = 0x200D;
  const char32_t last = before(at);
  const bool is_styled = last == kEmojiSelector || is_in(last, 0x1F3FB, 0x1F3FF);
  const bool is_emoji = is_pictograph(is_styled ? before(at, 1) : last) && is_pictograph(next);
  if (is_emoji) return joiner == kJoiner;
  const JoiningScript script = joining_script(last);
  const bool goes_on = stays(next);
  if (script == JoiningScript::stacking) {
    return is_virama(last) || (goes_on && is_same_script(last, next));
  }
  if (script == JoiningScript::cursive && joiner == kJoiner) return true;
  if (!goes_on) return false;
  const bool is_next_cursive = joining_script(next) == JoiningScript::cursive;
  if (script == JoiningScript::cursive) return is_next_cursive || is_letter_or_digit(next);
  return is_next_cursive && is_letter_or_digit(last);
}

/// Source: UTS 51, ED-9a, emoji-variation-sequences.txt; Unicode's StandardizedVariants.txt and the
///         Ideographic Variation Database, by their blocks.
bool HiddenSearch::varies(std::size_t at, char32_t selector) const {
  const char32_t last = before(at);
  if (is_in(selector, 0x180B, 0x180F)) return is_mongolian(last);
  // There are 240; using them all could carry whole hidden bytes.
  if (is_in(selector, 0xE0100, 0xE01EF)) return selector <= 0xE011F && is_ideograph(last);
  if (last < 0x80) {
    const bool has_keycap = is_in(last, '0', '9') || last == '#' || last == '*';
    // Mostly the sign of a key follows. Many texts have lost it, and fonts show both alike.
    return has_keycap && selector == kEmojiSelector;
  }
  if (is_in(selector, 0xFE0E, 0xFE0F)) return is_symbol(last);
  if (is_in(selector, 0xFE00, 0xFE02) && is_ideograph(last)) return true;
  const bool is_punctuation =
      is_in(last, 0x2018, 0x201D) || is_in(last, 0x3001, 0x3002) || is_in(last, 0xFF01, 0xFF1F);
  if (is_in(selector, 0xFE00, 0xFE01) && is_punctuation) return true;
  const bool is_of_script = is_in(last, 0x1000, 0x109F) || is_in(last, 0xA840, 0xA877) ||
                            is_in(last, 0x2190, 0x22FF) || is_in(last, 0x2A00, 0x2AFF);
  return selector == 0xFE00 && is_of_script;
}

/// Source: UTS 51, ED-14a, and emoji-sequences.txt 15.0, RGI_Emoji_Tag_Sequence.
std::size_t HiddenSearch::flag_size(std::size_t at) const {
  constexpr char32_t kFlag = 0x1F3F4;
  constexpr char32_t kTags = 0xE0000;
  constexpr std::array<std::string_view, 3> kFlags{"gbeng\x7F", "gbsct\x7F", "gbwls\x7F"};
  if (before(at) != kFlag) return 0;
  for (const std::string_view letters : kFlags) {
    std::size_t end = at;
    for (const char letter : letters) {
      if (end >= text_.size()) break;
      const ReadCharacter tag = read_character(text_, end);
      if (tag.value != kTags + static_cast<unsigned char>(letter)) break;
      end += tag.size;
      if (letter == '\x7F') return end - at;
    }
  }
  return 0;
}

/// Dot pictures contain blanks.
std::size_t HiddenSearch::braille_size(std::size_t at) {
  constexpr std::size_t kBrailleBytes = 3;
  if (is_braille(before(at))) return kBrailleBytes;
  if (at < blank_end_) return 0;
  std::size_t end = at;
  while (after(end) == kBrailleBlank)
    end += kBrailleBytes;
  blank_end_ = end;
  return is_braille(after(end)) ? end - at : 0;
}

/// Whether a direction mark has an effect. A mark after signs, such as at the end of a line,
/// belongs to the direction of the line, even with words of the other direction between.
bool HiddenSearch::is_directing(std::size_t at, std::size_t end) {
  const char32_t last = before(at);
  if (is_mark_of_direction(last)) return false;
  if (is_ascii_letter_or_digit(last)) {
    // A hidden part may be followed by another one.
    const char32_t next = after(end);
    const bool is_seen = next == '\r' || classify(next) != CharacterKind::doubtful;
    if (!is_seen || is_ascii_letter_or_digit(next)) return false;
  }
  return has_right_to_left_before(at) || direction_after(end) == Direction::right_to_left;
}

bool HiddenSearch::is_formatting(std::size_t at, char32_t character, char32_t next) const {
  const char32_t last = before(at);
  switch (character) {
    case 0x034F:  // Keeps marks in order.
      return stays(next) && classify(next) != CharacterKind::plain && last != character;
    case 0x115F:
      return is_in(next, 0x1161, 0x11A7) && stays(next);
    case 0x1160:
      return is_in(last, 0x1100, 0x115E);
    case 0x180E:
      return is_mongolian(last) && is_mongolian(next) && stays(next);
    case 0x200B:
      return (is_unspaced(last) || is_unspaced(next)) && stays(next) && last != kNoCharacter &&
             classify(last) != CharacterKind::doubtful;
    case 0x1D159:  // The head of a note, with a visible stem.
      return is_in(next, 0x1D165, 0x1D166) && stays(next);
    case 0x13441:
    case 0x13442:
      return is_in(last, 0x13000, 0x13440);
    default:
      break;
  }
  if (is_number_sign(character)) {
    return stays(next) && (is_digit(next) || is_right_to_left(next));
  }
  if (is_in(character, 0x1D173, 0x1D17A)) {
    return is_in(last, 0x1D100, 0x1D1FF) && !is_in(last, 0x1D173, 0x1D17A);
  }
  if (is_in(character, 0x1BCA0, 0x1BCA3)) return is_in(last, 0x1BC00, 0x1BC9F);
  if (is_in(character, 0x13430, 0x1343F)) return is_in(last, 0x13000, 0x13455);
  // Fonts may show emoji and ideographs of a later Unicode version.
  return is_unassigned(character) && !is_noncharacter(character) &&
         (is_pictograph(character) || is_in(character, 0x20000, 0x3FFFD));
}

/// Whether the line has a visible letter of that direction before a place.
bool HiddenSearch::has_right_to_left_before(std::size_t at) {
  while (line_end_ < at) {
    const ReadCharacter read = read_character(text_, line_end_);
    line_end_ += read.size;
    if (read.value == '\n') {
      is_right_to_left_ = false;
    } else if (direction_of(read.value) == Direction::right_to_left) {
      is_right_to_left_ = true;
    }
  }
  return is_right_to_left_;
}

Direction HiddenSearch::direction_after(std::size_t end) const {
  constexpr int kCharactersMax = 16;
  for (int i = 0; i < kCharactersMax && end < text_.size(); ++i) {
    const ReadCharacter read = read_character(text_, end);
    const bool is_end = read.value == '\n' || classify(read.value) == CharacterKind::doubtful;
    if (is_end) return Direction::none;
    const Direction direction = direction_of(read.value);
    if (direction != Direction::none) return direction;
    end += read.size;
  }
  return Direction::none;
}

}  // namespace

std::string_view text(HiddenKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<HiddenPart> find_hidden(std::string_view text) {
  return HiddenSearch(text).search(kHiddenPartsMax);
}

bool has_hidden(std::string_view text) {
  return !HiddenSearch(text).search(0).empty();
}

}  // namespace bartizan
