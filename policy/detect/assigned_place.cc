#include "policy/detect/assigned_place.h"

#include <algorithm>
#include <cstddef>

#include "policy/detect/secret_value.h"
#include "policy/detect/value_words.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kLine = ByteSet("\r\n\0").others();
constexpr ByteSet kName("A-Za-z0-9_.");
constexpr ByteSet kColonPath("A-Za-z0-9:_/.*${}@-");
constexpr std::size_t kBeforeMax = 256;

bool is_name(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) { return kName.holds(c); });
}

/// Whether the parts of a value are words and numbers, as in names of tests:
/// `auth/basic-2048-bits`.
bool is_joined_of_words(std::string_view value) {
  const auto is_of_word = [](char c) {
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  bool is_joined = false;
  for (std::size_t at = 0; at < value.size(); ++at) {
    std::size_t end = at;
    while (end < value.size() && is_of_word(value[end]))
      ++end;
    const std::string_view word = value.substr(at, end - at);
    if (!std::ranges::all_of(word, is_digit) && !reads_as_name(word)) return false;
    is_joined |= end < value.size();
    at = end;
  }
  return is_joined;
}

/// Whether a line begins like the results of test programs.
/// Source: GNU Automake, "Basics of test metadata"; `go test -v`; DejaGnu, "Output States".
bool begins_result(std::string_view line) {
  static constexpr std::string_view kBegins[] = {
      "PASS: ", "FAIL: ",       "SKIP: ",    "XFAIL: ", "XPASS: ",
      "=== ",   "UNSUPPORTED:", "UNTESTED:", "ok ",     "--- "};
  const auto begins = [](std::string_view one) {
    one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
    return std::ranges::any_of(kBegins,
                               [one](std::string_view begin) { return one.starts_with(begin); });
  };
  // The first line of a string is after its name and a quote.
  return begins(line) || begins(line.substr(line.rfind('"') + 1));
}

/// `PASS: suite/case-1`, `--- PASS: TestName/5 (0.00s)`.
bool is_test_result(ScanText& text, const Assignment& assigned, std::string_view value) {
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  if (name != "PASS" && name != "XPASS") return false;
  if (!text.holds(": ", assigned.name_end)) return false;
  constexpr std::string_view kGo = "--- ";
  if (assigned.name_begin >= kGo.size() && text.holds(kGo, assigned.name_begin - kGo.size())) {
    return true;
  }
  if (is_joined_of_words(value)) return true;
  // A result is adjacent to others.
  const std::size_t line = text.run_begin(kLine, assigned.name_begin, kBeforeMax);
  const std::size_t next = text.run_end(kLine, assigned.value_begin, kBeforeMax) + 1;
  if (next < text.size() && begins_result(text.bytes().substr(next, kBeforeMax))) return true;
  if (line < 2) return false;
  const std::size_t last = text.run_begin(kLine, line - 1, kBeforeMax);
  return begins_result(text.between(last, line - 1));
}

/// `arn:aws:secretsmanager:eu-west-1:123456789012:secret:NAME-a1b2c3` is the location of a secret,
/// and `functions:secrets:access` is a name.
bool is_in_colon_path(ScanText& text, const Assignment& assigned, std::string_view value) {
  constexpr std::string_view kMarks = "*_`";
  const std::size_t begin = assigned.name_begin;
  if (begin < 2 || text.at(begin - 1) != ':' || text.at(assigned.name_end) != ':') return false;
  if (assigned.quoting != Quoting::none || assigned.value_begin != assigned.name_end + 1) {
    return false;
  }
  const std::size_t path = text.run_begin(kColonPath, begin, kBeforeMax);
  std::string_view before = text.between(path, begin - 1);
  text.add_work(before.size());
  while (!before.empty() && kMarks.contains(before.front()))
    before.remove_prefix(1);
  if (before.contains("arn:")) return true;
  while (!value.empty() && kMarks.contains(value.back()))
    value.remove_suffix(1);
  const auto is_of_word = [](char c) { return is_letter(c) || c == '-' || c == '_' || c == ':'; };
  return !before.empty() && std::ranges::all_of(before, is_of_word) &&
         std::ranges::all_of(value, is_of_word) && reads_as_name(before) && reads_as_name(value);
}

/// `1131f6ae-9c07-11d1-f79f-00c04fc2dcd2`. Source: RFC 9562 section 4.
bool is_uuid(std::string_view value) {
  constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  return std::ranges::equal(value, kForm,
                            [](char c, char form) { return form == '0' ? is_hex(c) : c == form; });
}

/// `GUID_UNEXPIRE_PASSWORD`: an identifier of a secret, not the secret.
bool names_uuid(std::string_view name) {
  constexpr std::string_view kWords[] = {"guid", "uuid"};
  return std::ranges::any_of(kWords, [name](std::string_view word) {
    return std::ranges::equal(name.substr(0, word.size()), word, {}, lower_case);
  });
}

/// `toBase64Url`, `hashed_password1`: words that form a name in a program.
bool is_name_of_program(std::string_view value) {
  constexpr std::size_t kDigitsMax = 2;
  if (!is_name(value) || !is_lower(value.front()) || !reads_as_name(value)) return false;
  if (std::ranges::count_if(value, is_digit) > static_cast<std::ptrdiff_t>(kDigitsMax)) {
    return false;
  }
  return value.contains('_') || std::ranges::any_of(value, is_upper);
}

/// Adjacent strings of a list may be an identifier, a name in a program, or bytes. The same holds
/// for a string after a path: `"go/token", "…"`.
bool is_of_list(const ScanText& text, const Assignment& assigned, std::string_view value) {
  if (!assigned.is_listed) return false;
  const bool is_path = assigned.name_begin > 0 && text.at(assigned.name_begin - 1) == '/';
  return is_path || is_uuid(value) || is_name_of_program(value) || value.contains("\\x");
}

/// `'unicodePwd': utf16pw,`: the value of a member with a quoted name is also quoted, or is a name
/// in the program.
bool is_variable_of_member(const ScanText& text, const Assignment& assigned,
                           std::string_view value) {
  constexpr std::string_view kQuotes = "\"'";
  constexpr std::string_view kBehind = ",})";
  constexpr std::size_t kRandomMin = 8;
  if (assigned.quoting != Quoting::none || !kQuotes.contains(text.at(assigned.name_end))) {
    return false;
  }
  if (assigned.value_end >= text.size() || !kBehind.contains(text.at(assigned.value_end))) {
    return false;
  }
  return text.at(assigned.name_end + 1) == ':' && is_name(value) && is_letter(value.front()) &&
         (value.size() < kRandomMin || !looks_mixed(value));
}

}  // namespace

bool is_no_assignment(ScanText& text, const Assignment& assigned, std::string_view value) {
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  return is_test_result(text, assigned, value) || is_in_colon_path(text, assigned, value) ||
         is_of_list(text, assigned, value) || is_variable_of_member(text, assigned, value) ||
         (names_uuid(name) && is_uuid(value));
}

}  // namespace bartizan
