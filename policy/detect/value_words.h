#pragma once

#include <string_view>

namespace bartizan {

// Each looks at the first 512 bytes of a value.

/// Whether a value is made of words, as names are and what is made by chance is not: its letters
/// follow each other as those of English words do, and it has few digits.
bool reads_as_words(std::string_view value);

/// Whether one name of a program, however short, is made of words: its letters follow each other as
/// those of English words do. A few digits do not matter.
bool reads_as_name(std::string_view name);

/// Whether a value only says that it is a secret: `secret_access_key`, `MY_DB_PASSWORD`,
/// `##invalid-password##`, `oauth2ClientSecret`.
bool only_says_secret(std::string_view value);

/// Whether a value is text of a script that sets no blanks between words, such as Chinese, Japanese
/// or Thai, and what it has of others are words and numbers.
bool reads_as_joined_text(std::string_view value);

/// Whether a value is the name of a constant: `NOT_A_SECRET`, words in capitals.
bool is_constant_name(std::string_view value);

/// Whether a value names how something is computed: `scram-sha-256`, `AES256-GCM`.
bool names_an_algorithm(std::string_view value);

}  // namespace bartizan
