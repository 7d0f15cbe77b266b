#include "policy/detect/secret_value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "policy/detect/value_words.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kLookedAt = 512;

/// Words that examples have instead of a secret.
constexpr std::string_view kExampleWords[] = {
    "example",      "placeholder", "redacted", "your-",   "your_",    "yourkey",
    "yourtoken",    "yoursecr",    "yourpass", "xxxx",    "changeme", "change-me",
    "change_me",    "dummy",       "insert",   "replace", "sample",   "notasecret",
    "not-a-secret", "fake",        "....",     "****",
};

constexpr std::string_view kShortWord = "fake";

/// Whole values that are words of configuration or of examples.
constexpr std::string_view kPlainWords[] = {
    "abc123",    "admin",     "apikey",   "api_key",    "api-key",     "default",   "disabled",
    "empty",     "enabled",   "false",    "foo",        "foobar",      "guest",     "hidden",
    "hunter",    "localhost", "masked",   "mypassword", "my-secret",   "mysecret",  "nil",
    "none",      "null",      "optional", "pass",       "passwd",      "password",  "password1",
    "pwd",       "required",  "root",     "secret",     "some-secret", "string",    "test",
    "testpass",  "testing",   "todo",     "token",      "true",        "undefined", "unset",
    "user",      "username",  "value",    "12345678",   "123456",      "test123",   "password123",
    "secret123", "pass123",   "my-token", "mytoken",    "basic",       "bearer",    "passw0rd",
    "p4ssw0rd",  "p@ssw0rd",  "p@ssword", "pa55word",   "s3cret",      "s3cr3t",    "hunter2",
    "oauth2",    "token123",
};

std::string_view start_of(std::string_view value) {
  return value.substr(0, kLookedAt);
}

bool equal_folded(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, lower_case);
}

/// For each byte, the example words that begin with it, as bits.
constexpr std::array<std::uint32_t, 256> example_words_by_byte() {
  static_assert(std::size(kExampleWords) <= 32);
  std::array<std::uint32_t, 256> words = {};
  for (std::size_t i = 0; i < std::size(kExampleWords); ++i) {
    const auto first = static_cast<unsigned char>(kExampleWords[i][0]);
    words[first] |= std::uint32_t{1} << i;
    if (is_letter(kExampleWords[i][0])) words[first - ('a' - 'A')] |= std::uint32_t{1} << i;
  }
  return words;
}

std::size_t different_bytes(std::string_view value) {
  std::bitset<256> seen;
  for (const char c : value)
    seen.set(static_cast<unsigned char>(c));
  return seen.count();
}

/// `12345678`, `abcdefgh`, `aaaaaaaa`: a sequence of this length is not random.
bool has_sequence(std::string_view value) {
  constexpr std::size_t kStepsMax = 7;
  std::size_t upwards = 0;
  std::size_t same = 0;
  for (std::size_t i = 1; i < value.size(); ++i) {
    const int step = value[i] - value[i - 1];
    upwards = step == 1 ? upwards + 1 : 0;
    same = step == 0 ? same + 1 : 0;
    if (upwards >= kStepsMax || same >= kStepsMax) return true;
  }
  return false;
}

/// Skips the leading zeros in the base64 of some tokens, such as those of Twitter.
std::string_view without_zeros(std::string_view value) {
  constexpr std::size_t kZerosMin = 16;
  constexpr std::size_t kRestMin = 20;
  const std::size_t zeros = std::min(value.find_first_not_of('A'), value.size());
  const bool is_led = zeros >= kZerosMin && value.size() - zeros >= kRestMin;
  return is_led ? value.substr(zeros) : value;
}

/// One pass, as hostile texts have many such values.
bool has_example_word(std::string_view value) {
  static constexpr auto kByByte = example_words_by_byte();
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::uint32_t words = kByByte[static_cast<unsigned char>(value[i])];
    for (; words != 0; words &= words - 1) {
      const std::string_view word = kExampleWords[std::countr_zero(words)];
      if (!equal_folded(value.substr(i, word.size()), word)) continue;
      // In tokens of capitals and digits, four letters may match by chance.
      const bool is_word = word != kShortWord || value.substr(i, word.size()) == word;
      if (is_word) return true;
    }
  }
  return false;
}

/// `[FILTERED]`, `[redacted:github.token]`, `[parameters('password')]`: words, or a call. Only
/// after a reason for hiding may digits follow the colon.
bool is_bracketed(std::string_view value) {
  constexpr std::string_view kHidden[] = {"redacted", "masked", "filtered", "hidden", "removed"};
  const std::string_view inside = value.substr(1, value.size() - 2);
  const std::size_t end = std::min(inside.find_first_of("(:"), inside.size());
  const std::string_view first = inside.substr(0, end);
  const bool is_call = end < inside.size() && inside[end] == '(';
  if (is_call && inside.back() != ')') return false;
  const bool is_hidden = std::ranges::any_of(
      kHidden, [first](std::string_view word) { return equal_folded(first, word); });
  const bool is_named = end < inside.size() && inside[end] == ':';
  if (is_named && !is_hidden && std::ranges::any_of(inside.substr(end), is_digit)) return false;
  return !first.empty() && std::ranges::all_of(first, [](char c) {
    return is_letter(c) || c == ' ' || c == '_' || c == '-';
  });
}

/// Whether a text has a form, in which 0 is any digit.
bool has_form(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char wanted) { return wanted == '0' ? is_digit(c) : c == wanted; });
}

/// `2026-01-02`, `2026-01-02T03:04:05.678Z`, `2026-01-02 03:04+02:00`: the whole value.
/// Source: RFC 3339 section 5.6.
bool is_date(std::string_view value) {
  constexpr std::string_view kDate = "0000-00-00";
  constexpr std::string_view kTimes[] = {"00:00:00", "00:00"};
  constexpr std::string_view kZones[] = {"", "Z", "+00:00", "-00:00", "+0000", "-0000"};
  if (!has_form(value.substr(0, kDate.size()), kDate)) return false;
  std::string_view rest = value.substr(kDate.size());
  if (rest.empty()) return true;
  if (rest.front() != 'T' && rest.front() != ' ') return false;
  rest.remove_prefix(1);
  const auto* const time = std::ranges::find_if(kTimes, [rest](std::string_view form) {
    return has_form(rest.substr(0, form.size()), form);
  });
  if (time == std::end(kTimes)) return false;
  rest.remove_prefix(time->size());
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    while (!rest.empty() && is_digit(rest.front()))
      rest.remove_prefix(1);
  }
  return std::ranges::any_of(kZones,
                             [rest](std::string_view zone) { return has_form(rest, zone); });
}

/// `\u041d\u0435`: text of another script, as in translation files. A secret beside such letters is
/// found in the decoded text.
bool holds_foreign_letter(std::string_view value) {
  constexpr std::size_t kDigits = 4;
  for (std::size_t at = value.find("\\u"); at != value.npos; at = value.find("\\u", at + 2)) {
    const std::string_view code = value.substr(at + 2, kDigits);
    if (code.size() == kDigits && std::ranges::all_of(code, is_hex) && !code.starts_with("00")) {
      return true;
    }
  }
  return false;
}

/// `#1e1e1e`, `0x34ed9ac1c1e0085`: a colour, or a number of less than 64 bits. A value as long as a
/// 64-bit key, or as a short password, may be a secret.
bool is_colour_or_number(std::string_view value) {
  constexpr std::size_t kNumberMax = 15;
  const bool is_number = value.starts_with("0x");
  const std::string_view digits = value.substr(is_number ? 2 : 1);
  const bool is_colour =
      value.front() == '#' && (digits.size() == 3 || digits.size() == 4 || digits.size() == 6);
  if (is_number ? digits.size() > kNumberMax : !is_colour) return false;
  return std::ranges::all_of(digits, is_hex);
}

/// Substitutions of templates and shells, and masks of printers.
bool is_substituted(std::string_view value) {
  constexpr std::string_view kMarks[] = {"${", "$(", "{{", "<%", "%(",
                                         "%s", "%v", "#{", "@{", "->{"};
  // `<your key>`, `$NAME`, `{name}`: these may also be parts of a chosen password.
  if (value.starts_with('<') && value.contains('>')) return true;
  if (value.starts_with('{') && value.contains('}')) return true;
  const char second = value.size() > 1 ? value[1] : '\0';
  if (value.starts_with('$') && (is_letter(second) || second == '_' || second == '\0')) return true;
  if (value.starts_with("$$") && std::ranges::all_of(value.substr(2), is_letter)) return true;
  if (value.starts_with('[') && value.ends_with(']') && is_bracketed(value)) return true;
  if (value.starts_with('@') && is_constant_name(value.substr(1))) return true;
  if (value.starts_with('%') && value.ends_with('%')) return true;
  if (value.starts_with("...") && value.ends_with("...")) return true;
  return std::ranges::any_of(kMarks,
                             [value](std::string_view mark) { return value.contains(mark); });
}

struct Kinds {
  bool has_lower = false, has_upper = false, has_digit = false, has_other = false;
};

Kinds kinds_of(std::string_view value) {
  Kinds kinds;
  for (const char c : value) {
    kinds.has_lower |= is_lower(c);
    kinds.has_upper |= is_upper(c);
    kinds.has_digit |= is_digit(c);
    // Letters of other scripts count as letters.
    const bool is_ascii_byte = static_cast<unsigned char>(c) < 0x80;
    kinds.has_other |= is_ascii_byte && !is_letter(c) && !is_digit(c);
  }
  return kinds;
}

/// `config.db.password`, `os.environ`, `user_input`, `getSecret`: names in programs. Joined words
/// are not random.
bool is_program_name(std::string_view value) {
  static constexpr std::string_view kJoints = "._-:/>=,";
  return std::ranges::all_of(value, [](char c) {
    return is_letter(c) || static_cast<unsigned char>(c) >= 0x80 || kJoints.contains(c);
  });
}

/// `config.primary_key2`, `my-db-secret-1`: joined words, some with a number.
bool is_joined_words(std::string_view value) {
  static constexpr std::string_view kJoints = "._-/:";
  constexpr std::size_t kNumberMax = 2;
  std::size_t joints = 0;
  std::size_t digits = 0;
  std::size_t case_changes = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (kJoints.contains(c)) {
      ++joints;
      digits = 0;
    } else if (is_digit(c)) {
      if (++digits > kNumberMax) return false;
    } else if (!is_letter(c) || digits > 0) {
      return false;
    } else if (i > 0 && is_upper(c) && is_lower(value[i - 1])) {
      ++case_changes;
    }
  }
  return joints > 0 && case_changes * 6 <= value.size();
}

/// `V1SecretVolumeSource`: a versioned type of an API.
bool is_type_name(std::string_view value) {
  constexpr std::size_t kLengthMin = 8;
  return value.size() >= kLengthMin && lower_case(value[0]) == 'v' && is_digit(value[1]) &&
         is_upper(value[2]) && reads_as_words(value);
}

/// `^7.1.2`, `>=3.0`, `^6.4|^7.0`: a version requirement.
bool is_version(std::string_view value) {
  static constexpr std::string_view kMarks = "^~<>=.x*| ";
  return value.contains('.') &&
         std::ranges::all_of(value, [](char c) { return is_digit(c) || kMarks.contains(c); });
}

/// The changes between kinds of bytes per hundred. Words have few.
std::size_t changes_per_hundred(std::string_view value) {
  const auto kind = [](char c) {
    if (is_digit(c)) return 0;
    if (is_lower(c)) return 1;
    return is_upper(c) ? 2 : 3;
  };
  std::size_t changes = 0;
  for (std::size_t i = 1; i < value.size(); ++i)
    changes += kind(value[i]) != kind(value[i - 1]) ? 1 : 0;
  return value.empty() ? 0 : changes * 100 / value.size();
}

}  // namespace

bool looks_random(std::string_view value) {
  const std::string_view start = without_zeros(start_of(value));
  constexpr std::size_t kDifferentMin = 8;
  const bool is_number = std::ranges::all_of(start, is_digit);
  const std::size_t wanted = std::min(kDifferentMin, start.size() / (is_number ? 4 : 2));
  return different_bytes(start) >= wanted && !has_sequence(start) && !has_example_word(start);
}

bool is_placeholder(std::string_view value) {
  const std::string_view start = start_of(value);
  if (start.empty() || is_substituted(start)) return true;
  if (different_bytes(start) <= 2) return true;
  if (has_example_word(start) || is_version(start)) return true;
  if (only_says_secret(start) || names_an_algorithm(start)) return true;
  if (is_date(start) || is_colour_or_number(start) || holds_foreign_letter(start)) return true;
  return std::ranges::any_of(kPlainWords,
                             [start](std::string_view word) { return equal_folded(start, word); });
}

bool looks_chosen(std::string_view value) {
  constexpr std::size_t kLengthMin = 6;
  const std::string_view start = start_of(value);
  if (start.size() < kLengthMin || is_placeholder(start)) return false;
  const Kinds kinds = kinds_of(start);
  if (is_joined_words(start) || is_type_name(start)) return false;
  if (is_program_name(start)) {
    // Only letters: a secret only if their case changes more than in words.
    return !kinds.has_other && kinds.has_lower && kinds.has_upper && start.size() >= 10 &&
           changes_per_hundred(start) >= 35;
  }
  return kinds.has_digit || kinds.has_other;
}

bool looks_mixed(std::string_view value) {
  const std::string_view start = start_of(value);
  const Kinds kinds = kinds_of(start);
  const std::size_t changes = changes_per_hundred(start);
  if (kinds.has_digit && (kinds.has_lower || kinds.has_upper)) return changes >= 35;
  return kinds.has_lower && kinds.has_upper && changes >= 40;
}

bool looks_keyed(std::string_view value) {
  constexpr std::size_t kLengthMin = 24;
  return value.size() >= kLengthMin && !is_placeholder(value) && looks_random(value) &&
         looks_mixed(value) && !reads_as_words(value);
}

bool looks_generated(std::string_view value) {
  constexpr std::size_t kLengthMin = 16;
  static constexpr std::string_view kMarks = "_.~+/=:%-";
  const std::string_view start = start_of(value);
  if (!std::ranges::all_of(
          start, [](char c) { return is_letter(c) || is_digit(c) || kMarks.contains(c); }))
    return false;
  if (start.size() < kLengthMin || is_placeholder(start) || !looks_random(start)) return false;
  if (reads_as_words(start)) return false;
  const Kinds kinds = kinds_of(start);
  if (!kinds.has_lower && !kinds.has_upper) return false;
  if (!kinds.has_digit)
    return kinds.has_lower && kinds.has_upper && changes_per_hundred(start) >= 35;
  return changes_per_hundred(start) >= 20;
}

}  // namespace bartizan
