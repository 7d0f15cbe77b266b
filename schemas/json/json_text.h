#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Length of the UTF-8 sequence that starts at `at`, or 0 when there is no valid one: overlong
/// forms, surrogates, values beyond U+10FFFF and cut sequences are none.
/// Source: RFC 3629 §4.
std::size_t utf8_sequence_size(std::string_view text, std::size_t at);
bool is_valid_utf8(std::string_view text);

/// One character at the beginning of a text.
struct Utf8Character {
  char32_t value = 0xFFFD;
  std::size_t size = 0;  ///< 0 where the text is empty or does not begin with valid UTF-8.
};
Utf8Character read_utf8(std::string_view text);

/// The longest beginning of at most that many bytes that cuts no character. `text` is valid UTF-8.
std::string_view utf8_head(std::string_view text, std::size_t bytes_max);

/// Whether `text`, valid UTF-8, has more code points than that, or fewer. Cost: of most texts their
/// bytes tell it alone; one pass over the others.
bool is_longer(std::string_view text, std::uint64_t length);
bool is_shorter(std::string_view text, std::uint64_t length);

/// Whether `text` holds a control character: U+0000 to U+001F, U+007F, or U+0080 to U+009F, which
/// some terminals obey as well. `text` is valid UTF-8.
bool has_control_character(std::string_view text);

/// Appends the value of a JSON string's inside (without its quotes), which an accepting parser has
/// seen: escapes are well formed and surrogates are in pairs.
void append_unescaped(std::string& out, std::string_view inside);

/// `text` as a JSON string, in quotes. See `append_json_string`.
std::string json_string(std::string_view text);
/// `text` as the inside of a JSON string, without the quotes. See `append_json_string`.
std::string json_string_inside(std::string_view text);

/// The pointer to the member `name` of what `pointer` leads to. Source: RFC 6901 §3.
std::string pointer_below(std::string pointer, std::string_view name);

/// The name that one token of a pointer stands for, or nothing when a `~` stands alone.
std::optional<std::string> unescape_pointer_token(std::string_view token);

}  // namespace bartizan
