#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace bartizan {

/// Translates an ECMA 262 regular expression, as JSON Schema's `pattern` uses it, to the syntax of
/// RE2. The result matches within the same texts, in linear time. The position of a match is lost:
/// groups have no numbers, and lazy repetitions become plain ones.
///
/// The flag `u` is assumed, as JSON Schema asks. Many schemas are written without it. Some patterns
/// are an error with `u`, but unambiguous without it (ECMA 262 annex B). They are accepted: a
/// backslash before a character that needs none (`\-`, `\@`, `\_`), a brace or `]` that closes
/// nothing (`a{`, `}`), and `-` beside a class in brackets (`[\w-.]`). Undefined escapes of letters
/// and digits are refused, because other languages define them (`\Z`, `\A`, `\1` without a group).
///
/// Bounds of repetitions beyond RE2's 1000 are written as several. All repetitions of a pattern
/// together may stand for 5 000 characters and classes, and the result may have 256 KiB.
///
/// Input:   any bytes; text that is not UTF-8 is refused.
/// Errors:  a sentence of the gateway. `look-around`, `a back-reference`, `modifiers` and `a
///          pattern that is too large` mean that a valid pattern cannot be translated. Other
///          sentences name the fault.
/// Cost:    one pass; properties such as `\p{Emoji}` are expanded.
/// Source:  ECMA 262 §22.2.1 and annex B.1.2; JSON Schema 2020-12 Core §6.4.
std::expected<std::string, std::string> translate_ecma_pattern(std::string_view pattern);

/// Whether a text is strictly a regular expression with the flag `u`, even if RE2 cannot express
/// it. The known names of properties are those of the linked ICU.
bool is_ecma_pattern(std::string_view text);

}  // namespace bartizan
