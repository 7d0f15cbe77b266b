#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Length of the valid UTF-8 sequence that starts at `at`, or 0. Overlong forms, surrogates, values
/// beyond U+10FFFF and cut sequences are not valid.
/// Source: RFC 3629 §4.
std::size_t utf8_sequence_size(std::string_view text, std::size_t at);
bool is_valid_utf8(std::string_view text);

/// The first character of a text.
struct Utf8Character {
  char32_t value = 0xFFFD;
  std::size_t size = 0;  ///< 0 if the text is empty or does not begin with valid UTF-8.
};
Utf8Character read_utf8(std::string_view text);

/// The longest prefix of at most `bytes_max` bytes that cuts no character.
/// Input: `text` is valid UTF-8.
std::string_view utf8_head(std::string_view text, std::size_t bytes_max);

/// Whether `text` has more code points than `length`, or fewer.
/// Input: `text` is valid UTF-8.
/// Cost:  none for most texts, whose size in bytes decides; one pass over the others.
bool is_longer(std::string_view text, std::uint64_t length);
bool is_shorter(std::string_view text, std::uint64_t length);

/// Whether `text` holds a control character: U+0000 to U+001F, U+007F, or U+0080 to U+009F. Some
/// terminals also obey the latter.
/// Input: `text` is valid UTF-8.
bool has_control_character(std::string_view text);

/// Appends the value of a JSON string.
/// Input: the text between its quotes, as a parser accepted it: escapes are well formed and
///        surrogates are in pairs.
void append_unescaped(std::string& out, std::string_view inside);

/// `text` as a JSON string, in quotes. See `append_json_string`.
std::string json_string(std::string_view text);
/// `text` as the inside of a JSON string, without the quotes. See `append_json_string`.
std::string json_string_inside(std::string_view text);

/// The pointer to the member `name` of the value at `pointer`. Source: RFC 6901 §3.
std::string pointer_below(std::string pointer, std::string_view name);

/// The name that one pointer token encodes. Nothing if a `~` is not followed by 0 or 1.
std::optional<std::string> unescape_pointer_token(std::string_view token);

}  // namespace bartizan
