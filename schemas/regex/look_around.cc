#include "schemas/regex/look_around.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kAssertionsMax = 16;

/// The position after the class at `at`, or the end.
std::size_t skip_class(std::string_view pattern, std::size_t at) {
  for (std::size_t i = at + 1; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == ']') {
      return i + 1;
    }
  }
  return pattern.size();
}

/// The position after the group at `at`. Nothing if it does not end.
std::optional<std::size_t> skip_group(std::string_view pattern, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '[') {
      i = skip_class(pattern, i);
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return i + 1;
    i += c == '\\' ? 2 : 1;
  }
  return std::nullopt;
}

/// Whether there are alternatives outside of groups.
bool has_alternatives(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '|') return true;
    if (c == '[') {
      i = skip_class(pattern, i);
    } else if (c == '(') {
      i = skip_group(pattern, i).value_or(pattern.size());
    } else {
      i += c == '\\' ? 2 : 1;
    }
  }
  return false;
}

bool begins_repetition(std::string_view rest) {
  return !rest.empty() && std::string_view("*+?{").contains(rest.front());
}

/// The bytes of an exact repetition `{n}`; 0 without one.
std::size_t exact_repetition(std::string_view rest) {
  if (!rest.starts_with('{')) return 0;
  const std::size_t end = rest.find('}');
  if (end == std::string_view::npos || end == 1) return 0;
  const bool is_number = std::ranges::all_of(rest.substr(1, end - 1), is_digit);
  return is_number ? end + 1 : 0;
}

/// The bytes of a part at the beginning that stands for exactly one character, without repetition.
/// 0 if there is none, or if it is uncertain.
std::size_t one_character(std::string_view rest) {
  if (rest.empty()) return 0;
  const char c = rest.front();
  if (c == '[') return skip_class(rest, 0);
  if (c == '\\') {
    // Classes, and escaped characters that are literal. Other escapes are longer, or not a
    // character.
    const bool is_one = rest.size() > 1 && (std::string_view("dDwWsStnrfv").contains(rest[1]) ||
                                            (!is_letter(rest[1]) && !is_digit(rest[1])));
    return is_one ? 2 : 0;
  }
  if (std::string_view("^$()|*+?{}]").contains(c)) return 0;
  std::size_t bytes = 1;
  while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xc0U) == 0x80U)
    ++bytes;
  return bytes;
}

/// The inside of an assertion, and whether it is negative.
struct Assertion {
  std::string_view inside;
  bool is_excluded;
};

/// Reads a group that is one assertion, which begins with `(?` or `(?<`.
std::optional<Assertion> read_assertion(std::string_view group, std::string_view opening) {
  if (!group.starts_with(opening) || group.size() < opening.size() + 2) return std::nullopt;
  const char sign = group[opening.size()];
  if (sign != '=' && sign != '!') return std::nullopt;
  const std::size_t begin = opening.size() + 1;
  return Assertion{group.substr(begin, group.size() - begin - 1), sign == '!'};
}

/// One pattern, from its beginning on.
class Splitting {
 public:
  explicit Splitting(std::string_view pattern) : rest_(pattern) {}

  std::optional<PatternConjunction> run() {
    if (has_alternatives(rest_)) return std::nullopt;
    if (rest_.starts_with('^')) {
      take(1);
      while (take_look_ahead() || take_character()) {
      }
    }
    take_look_behinds();
    if (found_ == 0 || found_ > kAssertionsMax) return std::nullopt;
    conjunction_.all.push_back(prefix_ + std::string(rest_));
    return std::move(conjunction_);
  }

 private:
  void take(std::size_t bytes) {
    prefix_ += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }

  void keep(const Assertion& assertion, std::string pattern) {
    (assertion.is_excluded ? conjunction_.none : conjunction_.all).push_back(std::move(pattern));
    ++found_;
  }

  bool take_look_ahead() {
    if (!rest_.starts_with("(?") || found_ > kAssertionsMax) return false;
    const std::size_t end = skip_group(rest_, 0).value_or(0);
    const auto assertion = read_assertion(rest_.substr(0, end), "(?");
    if (!assertion.has_value() || begins_repetition(rest_.substr(end))) return false;
    keep(*assertion, prefix_ + "(?:" + std::string(assertion->inside) + ")");
    rest_.remove_prefix(end);
    return true;
  }

  bool take_character() {
    const std::size_t bytes = one_character(rest_);
    if (bytes == 0) return false;
    const std::size_t repetition = exact_repetition(rest_.substr(bytes));
    const std::string_view behind = rest_.substr(bytes + repetition);
    // A lazy `{n}?` repeats as often.
    if (begins_repetition(behind) && !(repetition > 0 && behind.starts_with('?'))) return false;
    take(bytes + repetition);
    return true;
  }

  /// Takes the look-behinds right before the end of the text.
  void take_look_behinds() {
    if (!rest_.ends_with('$') || is_escaped(rest_.size() - 1)) return;
    while (found_ <= kAssertionsMax) {
      const std::string_view before = rest_.substr(0, rest_.size() - 1);
      const std::size_t begin = last_group(before);
      const auto assertion = begin == std::string_view::npos
                                 ? std::nullopt
                                 : read_assertion(before.substr(begin), "(?<");
      if (!assertion.has_value()) return;
      keep(*assertion, "(?:" + std::string(assertion->inside) + ")$");
      std::string shorter = std::string(before.substr(0, begin)) + "$";
      kept_ = std::move(shorter);
      rest_ = kept_;
    }
  }

  /// Whether backslashes before the character make it literal.
  bool is_escaped(std::size_t at) const {
    std::size_t slashes = 0;
    while (slashes < at && rest_[at - slashes - 1] == '\\')
      ++slashes;
    return slashes % 2 == 1;
  }

  /// The start of the group that ends where the text does; npos without one.
  static std::size_t last_group(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (c == '[') {
        i = skip_class(text, i);
      } else if (c == '(') {
        const auto end = skip_group(text, i);
        if (!end.has_value()) return std::string_view::npos;
        if (*end == text.size()) return i;
        i = *end;
      } else {
        i += c == '\\' ? 2 : 1;
      }
    }
    return std::string_view::npos;
  }

  std::string prefix_;
  std::string_view rest_;
  std::string kept_;  ///< The text of `rest_` after look-behinds were taken.
  std::size_t found_ = 0;
  PatternConjunction conjunction_;
};

}  // namespace

std::optional<PatternConjunction> split_look_around(std::string_view pattern) {
  return Splitting(pattern).run();
}

}  // namespace bartizan
