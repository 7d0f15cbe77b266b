#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// A part of a pattern, or a sentence about the fault in it.
template <class T>
using EcmaResult = std::expected<T, std::string_view>;

/// A part of a pattern that stands for one character of the text.
struct EcmaCharacters {
  std::optional<char32_t> single;
  std::string members;  ///< As RE2 writes them in a class; empty for none.
};

/// Reads the parts of an ECMA 262 pattern that stand for characters, from left to right.
///
/// Errors: sentences of the gateway, in every function.
/// Source: ECMA 262 §22.2.1, with the flag `u`.
class EcmaReader {
 public:
  explicit EcmaReader(std::string_view pattern) : rest_(pattern) {}

  std::string_view rest() const { return rest_; }
  bool take(std::string_view text);
  void skip(std::size_t bytes) { rest_.remove_prefix(bytes); }

  EcmaResult<char32_t> take_character();
  /// The meaning of an escape, in or outside a class. The backslash was already taken.
  EcmaResult<EcmaCharacters> take_escape();
  /// A class as RE2 writes it. The opening bracket was already taken.
  EcmaResult<std::string> take_class();
  /// A group's name and `>`.
  EcmaResult<std::u32string> take_name();

  /// Whether a part was taken that only annex B allows.
  bool has_doubts() const { return has_doubts_; }
  void doubt() { has_doubts_ = true; }

 private:
  EcmaResult<EcmaCharacters> take_control();
  EcmaResult<EcmaCharacters> take_property(char sign);
  EcmaResult<EcmaCharacters> take_identity();
  EcmaResult<EcmaCharacters> take_itself();
  EcmaResult<EcmaCharacters> take_member();
  EcmaResult<std::string> take_members();
  EcmaResult<char32_t> take_unicode();
  std::optional<char32_t> take_hex(std::size_t digits);

  std::string_view rest_;
  bool has_doubts_ = false;
  std::size_t property_bytes_ = 0;
};

/// One character, spelled so that RE2 reads it literally, in or outside a class.
std::string re2_character(char32_t character);
/// The characters from `first` to `last`, for a class.
std::string re2_range(char32_t first, char32_t last);

}  // namespace bartizan
