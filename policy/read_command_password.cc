#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policy/detector_id.h"
#include "policy/secret_readers.h"
#include "policy/secret_value.h"
#include "schemas/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kSpaces(" \t");
constexpr ByteSet kQuotes("'\"");
constexpr ByteSet kProgramName("a-z_-");
constexpr ByteSet kLine = ByteSet(std::string_view("\r\n\0", 3)).others();
/// How much of a command is looked at.
constexpr std::size_t kLineMax = 512;
constexpr std::size_t kNameMax = 16;
constexpr std::size_t kSpacesMax = 16;
/// Of a password.
constexpr std::size_t kLeast = 4;

/// An option of a program that takes a password.
struct PasswordOption {
  std::string_view program;
  std::string_view word;  ///< `--user`; empty for none.
  char letter;            ///< `-u`
  enum class Place : std::uint8_t {
    in_word,        ///< `-pVALUE` alone: behind a blank there is something else.
    in_either_word  ///< `-p VALUE`, too.
  } place;
  enum class Holds : std::uint8_t { password, user_and_password } holds;
};

using Place = PasswordOption::Place;
using Holds = PasswordOption::Holds;

constexpr PasswordOption kOptions[] = {
    {"curl", "--user", 'u', Place::in_either_word, Holds::user_and_password},
    {"curl", "--proxy-user", 'U', Place::in_either_word, Holds::user_and_password},
    {"mysql", "", 'p', Place::in_word, Holds::password},
    {"mysqldump", "", 'p', Place::in_word, Holds::password},
    {"mysqladmin", "", 'p', Place::in_word, Holds::password},
    {"mariadb", "", 'p', Place::in_word, Holds::password},
    {"mariadb-dump", "", 'p', Place::in_word, Holds::password},
    {"mariadb-admin", "", 'p', Place::in_word, Holds::password},
    {"sshpass", "", 'p', Place::in_either_word, Holds::password},
    {"redis-cli", "--pass", 'a', Place::in_either_word, Holds::password},
};

struct Word {
  std::size_t begin, end;
  bool is_quoted = false;
};

/// Goes through the words of a command, as far as it is one line: those of a shell, or the strings
/// of a list.
class CommandWords {
 public:
  /// `begin`: behind the program.
  CommandWords(ScanText& text, std::size_t begin)
      : text_(text), at_(begin), end_(text.run_end(kLine, begin, kLineMax)) {
    std::size_t quote = begin;
    if (text.at(quote) == '\\') ++quote;
    if (!kQuotes.holds(text.at(quote))) return;
    // Of a list that begins with the program the strings are its words.
    const std::size_t comma = text.run_end(kSpaces, quote + 1, kSpacesMax);
    if (text.at(comma) != ',') return;
    at_ = comma;
    between_ = ByteSet(" \t,");
  }

  /// Whether what stands behind the program are words at all.
  bool may_follow() const { return at_ < end_ && between_.holds(text_.at(at_)); }
  std::size_t end() const { return end_; }
  /// The next word, without quotes around it; an empty one behind the last.
  Word next() {
    at_ = std::min(text_.run_end(between_, at_, kLineMax), end_);
    if (at_ < end_ && text_.at(at_) == '\\') ++at_;  // Of a quote that is escaped.
    const char first = text_.at(at_);
    const bool is_quoted = first == '\'' || first == '"';
    const std::size_t begin = at_ + (is_quoted && at_ < end_ ? 1 : 0);
    std::size_t end = begin;
    while (end < end_ && (is_quoted ? text_.at(end) != first : !ends_word(text_.at(end))))
      ++end;
    at_ = end + (is_quoted && end < end_ ? 1 : 0);
    if (is_quoted && end > begin && text_.at(end - 1) == '\\') --end;
    return {begin, end, is_quoted};
  }

 private:
  static bool ends_word(char c) { return kSpaces.holds(c) || c == '"' || c == '\'' || c == '`'; }

  ScanText& text_;
  ByteSet between_ = kSpaces;
  std::size_t at_;
  std::size_t end_;
};

/// Where the value of an option begins: in the word itself, in the next one, or nowhere.
enum class Value : std::uint8_t { none, here, next };

/// `is_joined`: what follows stands right behind the word, in quotes.
Value value_of(const PasswordOption& option, std::string_view word, bool is_joined) {
  if (!option.word.empty() && word == option.word) return Value::next;
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return Value::none;
  if (word[1] == option.letter && word.size() > 2) return Value::here;
  // `-sSu` are three options, and the last one takes the value.
  const bool is_last =
      word.back() == option.letter && std::ranges::all_of(word.substr(1), is_letter);
  const bool may_follow = is_joined || option.place == Place::in_either_word;
  return is_last && may_follow ? Value::next : Value::none;
}

void judge(ScanText& text, const PasswordOption& option, Word value) {
  if (option.holds == Holds::user_and_password) {
    const std::size_t colon = text.between(value.begin, value.end).find(':');
    if (colon == std::string_view::npos) return;
    value.begin += colon + 1;
  }
  const std::string_view password = text.between(value.begin, value.end);
  text.add_work(password.size());
  // As in a URL: what stands in this place is a password, whatever it looks like.
  if (password.size() < kLeast || is_placeholder(password)) return;
  static const DetectorId detector = detector_id("command.password");
  text.report(detector, value.begin, value.end);
}

}  // namespace

void read_command_password(ScanText& text, std::size_t begin, std::size_t end) {
  if (!text.begins_word(begin) || !text.last_command().lets_read(begin)) return;
  const std::size_t name_end = text.run_end(kProgramName, end, kNameMax);
  const std::string_view program = text.between(begin, name_end);
  CommandWords words(text, name_end);
  if (!words.may_follow()) return;
  text.last_command().note(begin, words.end());
  text.add_work(words.end() - name_end);
  while (true) {
    const Word word = words.next();
    if (word.begin >= words.end()) return;
    for (const PasswordOption& option : kOptions) {
      if (program != option.program) continue;
      const bool is_joined = !word.is_quoted && kQuotes.holds(text.at(word.end));
      const Value value = value_of(option, text.between(word.begin, word.end), is_joined);
      if (value == Value::here) judge(text, option, {word.begin + 2, word.end});
      if (value == Value::next) judge(text, option, words.next());
      if (value != Value::none) break;
    }
  }
}

}  // namespace bartizan
