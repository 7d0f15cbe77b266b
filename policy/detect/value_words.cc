#include "policy/detect/value_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kLookedAt = 512;

/// For each letter, the letters that follow it in English words and program names at least once in
/// 1,400 pairs: 248 of 676, and 93 of 100 pairs. Counted in four thousand public files.
constexpr std::string_view kFollowing[26] = {
    "bcdfgiklmnprstuvy",
    "aeilorsu",
    "acehiklorstu",
    "abdeilorsu",
    "abcdefgilmnpqrstvwxy",
    "aefiloru",
    "aehinorsu",
    "aeiort",
    "abcdefglmnoprstvxz",
    "",
    "eis",
    "adeilostuy",
    "abeimopsu",
    "acdefgiklnostuv",
    "abcdfgiklmnoprstuvw",
    "aehiloprstu",
    "u",
    "acdegiklmnoprstuvy",
    "acehiklopstuy",
    "acehilorstuy",
    "abcdegilmnprst",
    "aeio",
    "aeino",
    "ept",
    "ps",
    "e",
};

/// `kFollowing`, with a bit for each letter that follows.
constexpr std::array<std::uint32_t, 26> following_bits() {
  std::array<std::uint32_t, 26> bits = {};
  for (std::size_t first = 0; first < bits.size(); ++first) {
    for (const char second : kFollowing[first])
      bits[first] |= std::uint32_t{1} << static_cast<unsigned>(second - 'a');
  }
  return bits;
}

constexpr std::uint32_t index_of(char letter) {
  return static_cast<std::uint32_t>(lower_case(letter) - 'a');
}

/// The composition of a value.
struct Make {
  std::size_t letters = 0, digits = 0;
  std::size_t pairs = 0;    ///< Adjacent letters in a word.
  std::size_t usual = 0;    ///< Those pairs that are usual in words.
  std::size_t numbers = 0;  ///< Runs of digits.
};

Make make_of(std::string_view value) {
  static constexpr auto kBits = following_bits();
  const auto is_of_word = [](char c) { return is_letter(c) || is_digit(c); };
  Make make;
  bool has_lower = false;  // In the current word.
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const char before = i == 0 ? '\0' : value[i - 1];
    if (is_of_word(c) && !is_of_word(before)) {
      const std::string_view word = value.substr(i);
      has_lower = std::any_of(word.begin(), std::ranges::find_if_not(word, is_of_word), is_lower);
    }
    if (is_digit(c)) {
      ++make.digits;
      make.numbers += is_digit(before) ? 0 : 1;
    }
    if (!is_letter(c)) continue;
    ++make.letters;
    if (!is_letter(before)) continue;
    // Another word begins, or the letters are initials.
    if (is_upper(c) && (is_lower(before) || has_lower)) continue;
    ++make.pairs;
    make.usual += kBits[index_of(before)] >> index_of(c) & 1U;
  }
  return make;
}

constexpr std::size_t kUsualPerHundred = 75;
/// The threshold if nothing else shows a name.
constexpr std::size_t kSurePerHundred = 80;

/// Words for the kind or the owner of a secret.
constexpr std::string_view kSecretWords[] = {
    "password", "passphrase", "passwd", "pass",   "passwort", "secret", "token",
    "key",      "credential", "pwd",    "apikey", "secrets",  "tokens",
};
constexpr std::string_view kOtherWords[] = {
    "my",     "your",   "the",   "our",      "new",     "old",     "some",    "any",     "user",
    "users",  "name",   "admin", "root",     "app",     "api",     "db",      "id",      "client",
    "server", "access", "auth",  "oauth",    "oauth2",  "bearer",  "valid",   "bad",     "invalid",
    "wrong",  "test",   "super", "very",     "strong",  "secure",  "here",    "goes",    "personal",
    "public", "master", "login", "sign",     "signing", "private", "value",   "text",    "plain",
    "mysql",  "redis",  "mongo", "postgres", "smtp",    "github",  "aws",     "is",      "a",
    "an",     "of",     "for",   "not",      "no",      "enter",   "refresh", "session", "missing",
};

/// The longest of the words with which a text begins.
template <std::size_t count>
std::size_t word_at(std::string_view text, const std::string_view (&words)[count]) {
  std::size_t longest = 0;
  for (const std::string_view word : words) {
    const bool is_here = std::ranges::equal(text.substr(0, word.size()), word, {}, lower_case);
    if (is_here) longest = std::max(longest, word.size());
  }
  return longest;
}

constexpr std::string_view kAlgorithms[] = {
    "sha",   "ssha",   "md",    "aes",    "hmac",   "rsa",   "ecdsa",    "ed",     "scram",
    "argon", "bcrypt", "pbkdf", "scrypt", "chacha", "blake", "camellia", "ripemd",
};
constexpr std::string_view kOfAlgorithms[] = {
    "sha", "with", "hmac", "cbc", "gcm",  "ctr",        "ecb", "ccm", "poly", "oaep",
    "pss", "id",   "pkcs", "rsa", "plus", "encryption", "and", "d",   "i",    "aes",
};

/// The first letter of a text, if its script has no blanks between words, and its size.
struct Letter {
  bool is_of_script = false;
  std::size_t bytes = 1;
};

/// Input: UTF-8; other bytes are not letters. Source: Unicode, "Blocks".
Letter letter_at(std::string_view text) {
  struct Block {
    char32_t first, last;
  };
  constexpr Block kBlocks[] = {
      {0x0E00, 0x0EFF},    // Thai, Lao
      {0x1000, 0x109F},    // Myanmar
      {0x1100, 0x11FF},    // Hangul Jamo
      {0x1780, 0x17FF},    // Khmer
      {0x3000, 0x30FF},    // CJK symbols, Hiragana, Katakana
      {0x3400, 0x9FFF},    // CJK ideographs
      {0xAC00, 0xD7AF},    // Hangul
      {0xF900, 0xFAFF},    // CJK ideographs for compatibility
      {0xFF00, 0xFFEF},    // Forms of half and full width
      {0x20000, 0x3FFFF},  // CJK ideographs
  };
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0xC0) return {};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (text.size() < size) return {};
  char32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i)
    code = code << 6U | (byte(i) & 0x3FU);
  const bool is_of_script = std::ranges::any_of(
      kBlocks, [code](Block block) { return block.first <= code && code <= block.last; });
  return {is_of_script, size};
}

/// Whether the letters are a sequence of these words.
template <std::size_t count>
bool are_words(std::string_view letters, const std::string_view (&words)[count]) {
  while (!letters.empty()) {
    const std::size_t size = word_at(letters, words);
    if (size == 0) return false;
    letters.remove_prefix(size);
  }
  return true;
}

}  // namespace

bool reads_as_words(std::string_view value) {
  constexpr std::size_t kPairsMin = 5;
  const std::string_view start = value.substr(0, kLookedAt);
  const Make make = make_of(start);
  return make.pairs >= kPairsMin && 5 * make.pairs >= 2 * start.size() &&
         4 * make.digits <= start.size() && 100 * make.usual >= kSurePerHundred * make.pairs;
}

bool reads_as_name(std::string_view name) {
  constexpr std::size_t kShort = 4;
  const Make make = make_of(name.substr(0, kLookedAt));
  if (name.size() <= kShort) return true;
  if (make.numbers > 2 || make.letters < make.digits / 2) return false;
  return 100 * make.usual >= kUsualPerHundred * make.pairs;
}

bool only_says_secret(std::string_view value) {
  const std::string_view start = value.substr(0, kLookedAt);
  bool has_secret = false;
  for (std::size_t at = 0; at < start.size();) {
    if (!is_letter(start[at])) {
      if (is_digit(start[at])) return false;
      ++at;
      continue;
    }
    const std::size_t secret = word_at(start.substr(at), kSecretWords);
    const std::size_t other = word_at(start.substr(at), kOtherWords);
    if (secret == 0 && other == 0) return false;
    has_secret |= secret > other;
    at += std::max(secret, other);
  }
  return has_secret;
}

bool reads_as_joined_text(std::string_view value) {
  constexpr std::size_t kLettersMin = 4;
  constexpr std::size_t kNumberMax = 4;
  const std::string_view start = value.substr(0, kLookedAt);
  const auto is_of_word = [](char c) { return is_letter(c) || is_digit(c); };
  std::size_t letters = 0;
  std::size_t digits = 0;
  for (std::size_t at = 0; at < start.size();) {
    std::size_t end = at;
    while (end < start.size() && is_of_word(start[end]))
      ++end;
    const std::string_view word = start.substr(at, end - at);
    if (word.empty()) {
      const Letter letter = letter_at(start.substr(at));
      letters += letter.is_of_script ? 1 : 0;
      at += letter.bytes;
      continue;
    }
    const bool is_number = std::ranges::all_of(word, is_digit);
    if (!is_number && std::ranges::any_of(word, is_digit)) return false;
    if (is_number ? word.size() > kNumberMax : !reads_as_name(word)) return false;
    digits += is_number ? word.size() : 0;
    at = end;
  }
  return letters >= kLettersMin && 2 * letters >= 3 * digits;
}

bool is_constant_name(std::string_view value) {
  constexpr std::size_t kWordMin = 2;
  const std::string_view start = value.substr(0, kLookedAt);
  const auto is_of_name = [](char c) { return is_upper(c) || c == '_'; };
  return start.contains('_') && std::ranges::all_of(start, is_of_name) &&
         start.size() > 2 * kWordMin && reads_as_name(start);
}

bool names_an_algorithm(std::string_view value) {
  constexpr std::size_t kLengthMax = 32;
  constexpr std::size_t kNumberMax = 5;
  constexpr std::string_view kJoints = "-_/ ";
  if (value.size() > kLengthMax) return false;
  const std::size_t first = word_at(value, kAlgorithms);
  if (first == 0) return false;
  for (std::size_t at = first; at < value.size();) {
    const std::string_view rest = value.substr(at);
    const auto letters =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin());
    const auto digits =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
    if (digits > kNumberMax || !are_words(rest.substr(0, letters), kOfAlgorithms)) return false;
    const bool is_joint = letters + digits == 0;
    if (is_joint && !kJoints.contains(rest.front())) return false;
    at += is_joint ? 1 : letters + digits;
  }
  return value.size() > first;
}

}  // namespace bartizan
