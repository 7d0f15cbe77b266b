#pragma once

#include <string_view>

namespace bartizan {

// Each function reads the first 512 bytes of a value.

/// Whether a value consists of words, as names do and random values do not. Its letters follow each
/// other as in English words, and it has few digits.
bool reads_as_words(std::string_view value);

/// Whether one name in a program, however short, consists of words. Its letters follow each other
/// as in English words. A few digits are ignored.
bool reads_as_name(std::string_view name);

/// Whether a value only names a secret: `secret_access_key`, `MY_DB_PASSWORD`,
/// `##invalid-password##`, `oauth2ClientSecret`.
bool only_says_secret(std::string_view value);

/// Whether a value is text of a script without blanks between words, such as Chinese, Japanese or
/// Thai. Other characters in it must form words and numbers.
bool reads_as_joined_text(std::string_view value);

/// Whether a value is the name of a constant: `NOT_A_SECRET`, words in capitals.
bool is_constant_name(std::string_view value);

/// Whether a value names an algorithm: `scram-sha-256`, `AES256-GCM`.
bool names_an_algorithm(std::string_view value);

}  // namespace bartizan
