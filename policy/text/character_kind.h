#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// A character of a text, and its size in bytes.
struct ReadCharacter {
  char32_t value = 0;
  std::uint32_t size = 1;
};

/// The value for a byte that belongs to no character.
inline constexpr char32_t kNoCharacter = 0xFFFFFFFF;

/// Reads the character that begins at a place, or a single invalid byte.
ReadCharacter read_character(std::string_view text, std::size_t at);
/// Reads the character that ends at a place, or a single invalid byte. Input: `at` is not 0.
ReadCharacter read_character_before(std::string_view text, std::size_t at);

/// The visibility of a character.
enum class CharacterKind : std::uint8_t {
  plain,        ///< Visible in any place.
  common_mark,  ///< Combines with letters of any script.
  script_mark,  ///< Combines with letters of its own script.
  doubtful,     ///< Hidden or needed, depending on its neighbours.
};

/// Cost: a lookup in a table that is built once.
CharacterKind classify(char32_t character);

/// Whether it has one of the properties by which neighbours of doubtful characters are judged.
bool is_pictograph(char32_t character);
bool is_symbol(char32_t character);  ///< Or an emoji.
bool is_letter_or_digit(char32_t character);
bool is_digit(char32_t character);
bool is_unassigned(char32_t character);
/// A sign before the number or letters to which it belongs.
bool is_number_sign(char32_t character);
bool is_right_to_left(char32_t character);
bool is_left_to_right(char32_t character);
/// Whether a letter or mark belongs to a script with joined letters, or with stacked consonants,
/// where joiners have a meaning. Nothing for other scripts.
enum class JoiningScript : std::uint8_t { none, cursive, stacking };
JoiningScript joining_script(char32_t character);
bool is_ideograph(char32_t character);
/// Whether its script separates words with spaces of no width.
bool is_unspaced(char32_t character);
/// Whether it suppresses a vowel and requires a following letter.
bool is_virama(char32_t character);
bool is_same_script(char32_t one, char32_t other);

}  // namespace bartizan
