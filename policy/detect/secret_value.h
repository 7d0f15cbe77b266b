#pragma once

#include <string_view>

namespace bartizan {

// Each function reads the first 512 bytes of a value.

/// Whether a value looks random: it has enough different bytes, no counting sequence, and no word
/// of examples.
bool looks_random(std::string_view value);

/// Whether a value is a placeholder: `${TOKEN}`, `<your-key>`, `xxxx`, `changeme`, `****`,
/// `[redacted:…]`.
bool is_placeholder(std::string_view value);

/// Whether a value looks like a password that a person or program chose. Placeholders, words and
/// names in programs do not.
bool looks_chosen(std::string_view value);

/// Whether a value changes often between digits, lower case, upper case and other bytes. Names and
/// words do not.
bool looks_mixed(std::string_view value);

/// Whether a value looks like a key or token of an unknown format: long, random, with letters and
/// digits.
bool looks_generated(std::string_view value);

/// Whether a value looks like a key of an unknown format with any characters: at least 24 bytes,
/// random, mixed, and not words.
bool looks_keyed(std::string_view value);

}  // namespace bartizan
