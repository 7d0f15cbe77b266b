#pragma once

#include <string_view>

namespace bartizan {

// Each looks at the first 512 bytes of a value.

/// Whether a value was made by chance: as many different bytes as chance gives, no count upwards,
/// no word that examples have in place of a secret.
bool looks_random(std::string_view value);

/// Whether a value stands for one: `${TOKEN}`, `<your-key>`, `xxxx`, `changeme`, `****`,
/// `[redacted:…]`.
bool is_placeholder(std::string_view value);

/// Whether a value is what people or programs choose as a password: no placeholder, no word, no
/// name of something in a program.
bool looks_chosen(std::string_view value);

/// Whether a value changes so often between digits, letters of either case and others that it is no
/// name and no word.
bool looks_mixed(std::string_view value);

/// Whether a value is a key or a token of a format that nobody told: long, random, of letters and
/// digits both.
bool looks_generated(std::string_view value);

/// Whether a value is a key of a format that nobody told and that may have all kinds of characters
/// in it: random, mixed, no word, and of at least 24 bytes.
bool looks_keyed(std::string_view value);

}  // namespace bartizan
