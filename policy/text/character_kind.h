#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bartizan {

/// One character of a text, and how many bytes it is written with.
struct ReadCharacter {
  char32_t value = 0;
  std::uint32_t size = 1;
};

/// What a byte is read as that belongs to no character.
inline constexpr char32_t kNoCharacter = 0xFFFFFFFF;

/// The character that begins there, or one byte of none.
ReadCharacter read_character(std::string_view text, std::size_t at);
/// The character that ends there, or one byte of none. Input: `at` is not 0.
ReadCharacter read_character_before(std::string_view text, std::size_t at);

/// What a character may do to a text beside being read.
enum class CharacterKind : std::uint8_t {
  plain,        ///< Seen, wherever it stands.
  common_mark,  ///< Combines with letters of any script.
  script_mark,  ///< Combines with those of its own.
  doubtful,     ///< Hidden, or needed, by what stands around it.
};

/// Cost: a look into a table, which is made once.
CharacterKind classify(char32_t character);

/// Whether it has one of the properties by which neighbours of doubtful characters are judged.
bool is_pictograph(char32_t character);
bool is_symbol(char32_t character);  ///< Or an emoji.
bool is_letter_or_digit(char32_t character);
bool is_digit(char32_t character);
bool is_unassigned(char32_t character);
/// A sign that stands before the number or the letters that it is about.
bool is_number_sign(char32_t character);
bool is_right_to_left(char32_t character);
bool is_left_to_right(char32_t character);
/// A letter or mark of a script whose letters join, or that stacks consonants: what joiners are
/// for. Nothing of other scripts.
enum class JoiningScript : std::uint8_t { none, cursive, stacking };
JoiningScript joining_script(char32_t character);
bool is_ideograph(char32_t character);
/// Of a script that parts words with spaces that have no width.
bool is_unspaced(char32_t character);
/// Whether it takes a vowel away, and asks for the next letter.
bool is_virama(char32_t character);
bool is_same_script(char32_t one, char32_t other);

}  // namespace bartizan
