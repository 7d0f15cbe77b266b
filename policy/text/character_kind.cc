#include "policy/text/character_kind.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <vector>

namespace bartizan {
namespace {

constexpr char32_t kTabled = 0x20000;

bool is_in(char32_t character, char32_t low, char32_t high) {
  return character >= low && character <= high;
}

UChar32 of_icu(char32_t character) {
  return static_cast<UChar32>(character);
}

UScriptCode script_of(char32_t character) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(of_icu(character), &error);
  return U_SUCCESS(error) ? script : USCRIPT_UNKNOWN;
}

/// A blank that counts as visible by its properties: of braille, of hieroglyphs, of music.
bool is_blank(char32_t character) {
  return character == 0x2800 || character == 0x13441 || character == 0x13442 ||
         character == 0x1D159;
}

/// Characters that are invisible, or that shape their neighbours.
bool is_doubtful(char32_t character) {
  if (is_blank(character)) return true;
  if (u_hasBinaryProperty(of_icu(character), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) return true;
  switch (u_charType(of_icu(character))) {
    case U_CONTROL_CHAR:
      return character != '\t' && character != '\n';
    case U_FORMAT_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_PRIVATE_USE_CHAR:
    case U_SURROGATE:
    case U_UNASSIGNED:
      return true;
    default:
      return false;
  }
}

CharacterKind look_up(char32_t character) {
  if (is_doubtful(character)) return CharacterKind::doubtful;
  const auto category = u_charType(of_icu(character));
  if (category != U_NON_SPACING_MARK && category != U_ENCLOSING_MARK) return CharacterKind::plain;
  const UScriptCode script = script_of(character);
  return script == USCRIPT_INHERITED || script == USCRIPT_COMMON ? CharacterKind::common_mark
                                                                 : CharacterKind::script_mark;
}

std::vector<CharacterKind> make_table() {
  std::vector<CharacterKind> table(kTabled);
  for (char32_t character = 0; character < kTabled; ++character)
    table[character] = look_up(character);
  return table;
}

}  // namespace

ReadCharacter read_character(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const auto follower = [&](std::size_t offset) -> char32_t {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) ^ 0x80U : 0xFF;
  };
  constexpr char32_t kFollowerMax = 0x3F;
  const char32_t second = follower(1);
  if (first < 0xC2 || first > 0xF4 || second > kFollowerMax) return {kNoCharacter, 1};
  if (first < 0xE0) return {(first & 0x1FU) << 6U | second, 2};
  const char32_t third = follower(2);
  if (third > kFollowerMax) return {kNoCharacter, 1};
  if (first < 0xF0) {
    const char32_t value = (first & 0x0FU) << 12U | second << 6U | third;
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < 0x800 || is_surrogate) return {kNoCharacter, 1};
    return {value, 3};
  }
  const char32_t fourth = follower(3);
  const char32_t value = (first & 0x07U) << 18U | second << 12U | third << 6U | fourth;
  if (fourth > kFollowerMax || value < 0x10000 || value > 0x10FFFF) return {kNoCharacter, 1};
  return {value, 4};
}

ReadCharacter read_character_before(std::string_view text, std::size_t at) {
  constexpr std::size_t kCharacterBytesMax = 4;
  for (std::size_t size = 1; size <= kCharacterBytesMax && size <= at; ++size) {
    if (U8_IS_TRAIL(text[at - size])) continue;
    const ReadCharacter read = read_character(text, at - size);
    if (read.size == size) return read;
    break;
  }
  return {kNoCharacter, 1};
}

CharacterKind classify(char32_t character) {
  static const std::vector<CharacterKind> table = make_table();
  if (character < kTabled) return table[character];
  return character == kNoCharacter ? CharacterKind::plain : look_up(character);
}

bool is_pictograph(char32_t character) {
  return u_hasBinaryProperty(of_icu(character), UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
}

bool is_symbol(char32_t character) {
  const auto category = u_charType(of_icu(character));
  return category == U_OTHER_SYMBOL || category == U_MATH_SYMBOL ||
         u_hasBinaryProperty(of_icu(character), UCHAR_EMOJI) != 0 || is_pictograph(character);
}

bool is_letter_or_digit(char32_t character) {
  return u_isalnum(of_icu(character)) != 0;
}

bool is_digit(char32_t character) {
  return u_isdigit(of_icu(character)) != 0;
}

bool is_unassigned(char32_t character) {
  return u_charType(of_icu(character)) == U_UNASSIGNED;
}

bool is_number_sign(char32_t character) {
  return u_hasBinaryProperty(of_icu(character), UCHAR_PREPENDED_CONCATENATION_MARK) != 0;
}

bool is_right_to_left(char32_t character) {
  const UCharDirection direction = u_charDirection(of_icu(character));
  return direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC;
}

bool is_left_to_right(char32_t character) {
  return u_charDirection(of_icu(character)) == U_LEFT_TO_RIGHT;
}

JoiningScript joining_script(char32_t character) {
  switch (script_of(character)) {
    case USCRIPT_ARABIC:
    case USCRIPT_SYRIAC:
    case USCRIPT_NKO:
    case USCRIPT_MONGOLIAN:
    case USCRIPT_MANDAEAN:
    case USCRIPT_MANICHAEAN:
    case USCRIPT_PHAGS_PA:
    case USCRIPT_ADLAM:
    case USCRIPT_HANIFI_ROHINGYA:
    case USCRIPT_SOGDIAN:
      return u_isalpha(of_icu(character)) != 0 ||
                     u_charType(of_icu(character)) == U_NON_SPACING_MARK
                 ? JoiningScript::cursive
                 : JoiningScript::none;
    case USCRIPT_DEVANAGARI:
    case USCRIPT_BENGALI:
    case USCRIPT_GURMUKHI:
    case USCRIPT_GUJARATI:
    case USCRIPT_ORIYA:
    case USCRIPT_TAMIL:
    case USCRIPT_TELUGU:
    case USCRIPT_KANNADA:
    case USCRIPT_MALAYALAM:
    case USCRIPT_SINHALA:
    case USCRIPT_MYANMAR:
    case USCRIPT_KHMER:
    case USCRIPT_TIBETAN:
    case USCRIPT_BALINESE:
    case USCRIPT_JAVANESE:
    case USCRIPT_NEWA:
    case USCRIPT_GRANTHA:
    case USCRIPT_TIRHUTA:
    case USCRIPT_CHAKMA:
    case USCRIPT_BRAHMI:
    case USCRIPT_KAITHI:
    case USCRIPT_SHARADA:
      return JoiningScript::stacking;
    default:
      return JoiningScript::none;
  }
}

bool is_ideograph(char32_t character) {
  return is_in(character, 0x3400, 0x4DBF) || is_in(character, 0x4E00, 0x9FFF) ||
         is_in(character, 0xF900, 0xFAFF) || is_in(character, 0x20000, 0x3FFFD);
}

bool is_unspaced(char32_t character) {
  return is_in(character, 0x0E01, 0x0EFF) || is_in(character, 0x0F40, 0x0FBC) ||
         is_in(character, 0x1000, 0x109F) || is_in(character, 0x1780, 0x17F9) ||
         is_in(character, 0x1950, 0x19DF) || is_in(character, 0x1A20, 0x1AAF);
}

bool is_virama(char32_t character) {
  constexpr std::uint8_t kVirama = 9;  // Canonical_Combining_Class.
  return u_getCombiningClass(of_icu(character)) == kVirama;
}

bool is_same_script(char32_t one, char32_t other) {
  const UScriptCode of_one = script_of(one);
  const UScriptCode of_other = script_of(other);
  // Vowel marks combine with letters of any script.
  return of_one == of_other || of_one == USCRIPT_INHERITED || of_other == USCRIPT_INHERITED;
}

}  // namespace bartizan
