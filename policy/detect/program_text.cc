#include "policy/detect/program_text.h"

#include <algorithm>
#include <cstddef>

#include "policy/detect/value_words.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kLookedAt = 160;
/// A name of this length is not judged.
constexpr std::size_t kShort = 4;
/// Signs before a name in a program: references, pointers, negations, members of Ruby.
constexpr std::string_view kBefore = "&*!~@?";
constexpr std::string_view kKeywords[] = {"new ", "await ", "const ",  "static ", "mut ",
                                          "ref ", "async ", "typeof ", "not ",    "return "};
/// The separators of a path of names.
constexpr std::string_view kJoints[] = {"::", "?.", "->", "!.", "?->", "."};
/// Text that may follow a name and a blank.
constexpr std::string_view kOperators[] = {
    "{",     "(",   "=",    "?",   "+ ",  "- ",   "* ",          "/ ",  "% ",
    "&& ",   "|| ", "| ",   "|",   "< ",  "> ",   "!= ",         "as ", "if ",
    "else ", "or ", "and ", "in ", "is ", "not ", "instanceof ", ">",
};

bool begins_name(char c) {
  return is_letter(c) || c == '_' || c == '$';
}

bool is_of_name(char c) {
  return begins_name(c) || is_digit(c);
}

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/// Short names that are common in programs.
bool is_common(std::string_view name) {
  constexpr std::string_view kCommon[] = {"self", "this", "list", "dict", "map"};
  return std::ranges::find(kCommon, name) != std::end(kCommon);
}

/// A path of names.
struct Path {
  std::size_t end = 0;
  std::size_t joints = 0;
  bool is_named = true;   ///< Each part is an ordinary name.
  bool has_word = false;  ///< One part is long enough to judge.
};

Path read_path(std::string_view text) {
  Path path;
  for (std::size_t at = text.starts_with("::") ? 2 : 0; at < text.size();) {
    if (!begins_name(text[at])) break;
    const std::size_t begin = at;
    while (at < text.size() && is_of_name(text[at]))
      ++at;
    const std::string_view name = text.substr(begin, at - begin);
    path.is_named &= reads_as_name(name);
    path.has_word |= name.size() > kShort || is_common(name);
    path.end = at;
    const std::string_view rest = text.substr(at);
    const auto* const joint = std::ranges::find_if(
        kJoints, [rest](std::string_view one) { return rest.starts_with(one); });
    if (joint == std::end(kJoints)) break;
    at += joint->size();
    if (at >= text.size() || !begins_name(text[at])) break;
    ++path.joints;
  }
  return path;
}

/// Whether a name has several words: `defaultToConfig2`, `bcrypt_hash`.
bool has_words(std::string_view name) {
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size()) return true;
    if (is_upper(name[i]) && is_lower(name[i - 1])) return true;
  }
  return false;
}

/// Whether a name has few digits: `oauth2`, `key_sha256`. Invented names have more.
bool has_few_digits(std::string_view name) {
  constexpr std::size_t kDigitsMax = 2;
  constexpr std::string_view kSizes[] = {"128", "256", "384", "512"};
  std::size_t digits = static_cast<std::size_t>(std::ranges::count_if(name, is_digit));
  for (const std::string_view size : kSizes)
    digits -= name.contains(size) ? std::min<std::size_t>(digits, size.size()) : 0;
  return digits <= kDigitsMax;
}

}  // namespace

bool is_expression(std::string_view rest) {
  std::string_view text = rest.substr(0, std::min(kLookedAt, rest.find_first_of("\r\n")));
  // Lists of Go: `[]v1.Secret{`.
  constexpr std::string_view kList = "[]";
  const bool is_list = text.starts_with(kList);
  if (is_list) text.remove_prefix(kList.size());
  std::size_t marks = 0;
  while (marks < 3 && marks < text.size() && kBefore.contains(text[marks]))
    ++marks;
  text.remove_prefix(marks);
  bool is_marked = is_list || marks > 0;
  for (const std::string_view keyword : kKeywords) {
    if (!text.starts_with(keyword)) continue;
    text.remove_prefix(keyword.size());
    is_marked = true;
  }
  const Path path = read_path(text);
  const std::string_view name = text.substr(0, path.end);
  // Passwords do not contain such arrows, and names of structures may have any digits.
  const bool is_arrow = path.joints > 0 && (name.contains("->") || name.contains("::"));
  if (!(path.is_named || is_arrow) || !path.has_word) return false;
  const bool is_path = path.joints > 0;
  const bool is_plain = is_arrow || has_few_digits(name);
  const std::string_view behind = text.substr(path.end);
  if (behind.empty() || behind.front() == '#') return (is_path || is_marked) && is_plain;
  const char next = behind.front();
  const char second = behind.size() > 1 ? behind[1] : '\0';
  constexpr std::string_view kOpens = "([<{";
  constexpr std::string_view kEnds = ";,)]}\"'`:";
  const bool ends = second == '\0' || is_space(second) || kEnds.contains(second);
  if (kOpens.contains(next)) {
    // A single name must be long, or its bracket closed: passwords may begin with `abcd(`.
    const bool is_told = reads_as_words(name) || ends || kOpens.contains(second);
    return is_path || is_marked || (is_plain && is_told);
  }
  if (kEnds.contains(next)) {
    const bool is_told = is_path || is_marked || has_words(name);
    return is_plain && is_told && (ends || second == '.');
  }
  if (next == '?') return is_plain && (ends || second == '.');
  if (!is_space(next)) return false;
  const std::size_t word = behind.find_first_not_of(" \t");
  if (word == behind.npos) return (is_path || is_marked) && is_plain;
  const std::string_view further = behind.substr(word);
  if (further.starts_with('#') || further.starts_with("//")) {
    return (is_path || is_marked) && is_plain;
  }
  const bool goes_on = std::ranges::any_of(
      kOperators, [further](std::string_view one) { return further.starts_with(one); });
  return goes_on ? is_path || is_marked || is_plain : is_path && is_plain;
}

}  // namespace bartizan
