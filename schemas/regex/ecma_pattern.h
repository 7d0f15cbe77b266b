#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace bartizan {

/// An ECMA 262 regular expression, as JSON Schema's `pattern` uses it, in the syntax of RE2: the
/// same texts hold a match, in linear time. Where a match lies is not kept, so groups have no
/// numbers any more and lazy repetitions are plain ones.
///
/// The flag `u` is meant, as JSON Schema asks. Many schemas are written without it in mind. What is
/// an error with `u` is taken where the other reading (ECMA 262 annex B) leaves no doubt: a
/// back-slash before a sign that needs none (`\-`, `\@`, `\_`), a brace or `]` that ends nothing
/// (`a{`, `}`), and `-` beside a class in brackets (`[\w-.]`). Letters and digits behind a
/// back-slash that mean nothing are refused, because other languages mean something by them (`\Z`,
/// `\A`, `\1` without a group).
///
/// Bounds of repetitions beyond RE2's 1000 are written as several; all repetitions of a pattern
/// together may stand for 5 000 characters and classes, and the result for 256 KiB.
///
/// Input:   any bytes; what is not UTF-8 is refused.
/// Errors:  a sentence of ours: `look-around`, `a back-reference`, `modifiers` and `a pattern that
///          is too large` for what is right and cannot be translated; else what is wrong.
/// Cost:    one pass; properties such as `\p{Emoji}` are written out.
/// Source:  ECMA 262 §22.2.1 and annex B.1.2; JSON Schema 2020-12 Core §6.4.
std::expected<std::string, std::string> translate_ecma_pattern(std::string_view pattern);

/// Whether a text is a regular expression with the flag `u`, to the letter, whether RE2 has words
/// for it or not. Names of properties are those that the ICU we link knows.
bool is_ecma_pattern(std::string_view text);

}  // namespace bartizan
