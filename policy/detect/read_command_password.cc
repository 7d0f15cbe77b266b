#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/detect/detector_id.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kSpaces(" \t");
constexpr ByteSet kQuotes("'\"");
constexpr ByteSet kProgramName("a-z_-");
/// The examined part of a command after each program name.
constexpr std::size_t kCommandMax = 512;
constexpr std::size_t kNameMax = 16;
constexpr std::size_t kSpacesMax = 16;
/// Backslashes before a quote of JSON inside JSON.
constexpr std::size_t kBackslashesMax = 3;
/// The least size of a password.
constexpr std::size_t kLeast = 4;

/// An option with a password.
struct PasswordOption {
  std::string_view program;
  std::string_view word;  ///< `--user`; empty for none.
  char letter;            ///< `-u`
  enum class Place : std::uint8_t {
    in_word,        ///< Only `-pVALUE`: something else follows a blank.
    in_either_word  ///< Also `-p VALUE`.
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
    {"ldapsearch", "", 'w', Place::in_either_word, Holds::password},
    {"ldapadd", "", 'w', Place::in_either_word, Holds::password},
    {"ldapmodify", "", 'w', Place::in_either_word, Holds::password},
    {"ldapdelete", "", 'w', Place::in_either_word, Holds::password},
    {"ldapcompare", "", 'w', Place::in_either_word, Holds::password},
    {"ldapwhoami", "", 'w', Place::in_either_word, Holds::password},
    {"ldappasswd", "", 'w', Place::in_either_word, Holds::password},
    {"ldappasswd", "", 's', Place::in_either_word, Holds::password},
};

/// Options of programs: a bit for each.
using Options = std::uint32_t;

constexpr Options options_of(std::string_view program) {
  Options options = 0;
  for (std::size_t i = 0; i < std::size(kOptions); ++i)
    options |= program == kOptions[i].program ? Options{1} << i : 0;
  return options;
}

/// Programs with their own options before another command and its options.
constexpr Options kLeadingOptions = options_of("sshpass");

struct Range {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

/// One word, without quotes around it.
struct Word {
  Range own;
  Range joined;  ///< The quoted text directly after it: `-p"VALUE"`, `ann:'VALUE'`.
};

/// The end of a quote at a place, with the backslashes of texts inside JSON; the place itself if
/// there is no quote.
std::size_t quote_end(const ScanText& text, std::size_t at) {
  std::size_t quote = at;
  while (quote < at + kBackslashesMax && text.at(quote) == '\\')
    ++quote;
  return kQuotes.holds(text.at(quote)) ? quote + 1 : at;
}

/// Iterates over the words of a command: of a shell line, or the strings of a list.
class CommandWords {
 public:
  enum class Form : std::uint8_t { line, list };

  /// `begin` is after the program, or for a list at the comma there.
  CommandWords(const ScanText& text, std::size_t begin, Form form)
      : text_(text), form_(form), at_(begin) {
    go_on(begin);
  }

  /// The end of the examined part.
  std::size_t at() const { return at_; }
  /// Extends the examined part after that place.
  void go_on(std::size_t place) { end_ = std::min(place + kCommandMax, text_.size()); }

  /// The next word; nothing after the last.
  std::optional<Word> next() {
    const std::size_t before = at_;
    skip_between();
    if (at_ >= end_) return std::nullopt;
    if (const std::size_t inside = quote_end(text_, at_); inside != at_) {
      // A quote directly after a word closes the string of the whole command.
      if (form_ == Form::line && at_ == before) return std::nullopt;
      return Word{.own = read_quoted(inside), .joined = {}};
    }
    // Anything but a string ends a list.
    if (form_ == Form::list || ends_command(at_)) return std::nullopt;
    Word word{.own = {at_, at_}, .joined = {}};
    while (word.own.end < end_ && !ends_word(word.own.end))
      ++word.own.end;
    at_ = word.own.end;
    const std::size_t inside = quote_end(text_, at_);
    if (inside != at_ && goes_on_in_quotes(word.own)) word.joined = read_quoted(inside);
    return word;
  }

 private:
  void skip_between() {
    while (at_ < end_) {
      const char c = text_.at(at_);
      const bool is_of_list = form_ == Form::list && (c == ',' || c == '\n' || c == '\r');
      const bool is_end = c == '\\' && (text_.at(at_ + 1) == '\n' || text_.at(at_ + 1) == '\r');
      if (kSpaces.holds(c) || is_of_list) {
        ++at_;
      } else if (form_ == Form::line && is_end) {
        at_ += text_.holds("\r\n", at_ + 1) ? 3 : 2;  // The line continues in the next one.
      } else {
        return;
      }
    }
  }

  /// The quoted text; `inside` is the end of the opening quote.
  Range read_quoted(std::size_t inside) {
    const std::string_view quote = text_.between(at_, inside);
    std::size_t end = inside;
    while (end < end_ && !text_.holds(quote, end) && !text_.ends_line(end))
      end += text_.at(end) == '\\' && quote == "\"" ? 2 : 1;
    end = std::max(std::min(end, end_), inside);  // The quote itself may extend that far.
    at_ = text_.holds(quote, end) ? end + quote.size() : end;
    return {inside, end};
  }

  /// Whether the quoted text directly after a word is part of it.
  bool goes_on_in_quotes(Range word) const {
    const std::string_view letters = text_.between(word.begin, word.end);
    if (letters.ends_with(':') || letters.ends_with('=')) return true;
    return letters.size() > 1 && letters[0] == '-' &&
           std::ranges::all_of(letters.substr(1), is_letter);
  }

  /// `&` and `;` inside a word belong to URLs and passwords. The closing quote of the command's
  /// string does not continue a word.
  bool ends_command(std::size_t place) const {
    const char c = text_.at(place);
    if (text_.ends_line(place) || c == '|' || c == '`') return true;
    if (c != ';' && c != '&') return false;
    const char next = text_.at(place + 1);
    return place == at_ || kSpaces.holds(next) || next == c ||
           text_.ends_line(quote_end(text_, place + 1));
  }

  bool ends_word(std::size_t place) const {
    return kSpaces.holds(text_.at(place)) || ends_command(place) ||
           quote_end(text_, place) != place;
  }

  const ScanText& text_;
  Form form_;
  std::size_t at_;
  std::size_t end_ = 0;
};

/// The words after a program; nothing if there are none.
std::optional<CommandWords> words_behind(ScanText& text, std::size_t name_end) {
  if (kSpaces.holds(text.at(name_end))) {
    return CommandWords(text, name_end, CommandWords::Form::line);
  }
  const std::size_t quote = quote_end(text, name_end);
  if (quote == name_end) return std::nullopt;
  // In a list that begins with the program, the strings are its words.
  const std::size_t comma = text.run_end(kSpaces, quote, kSpacesMax);
  if (text.at(comma) != ',') return std::nullopt;
  return CommandWords(text, comma, CommandWords::Form::list);
}

/// The start of an option's value in a word. It is the end of the word if the value is joined or
/// the next word. Nothing if the word does not have the option.
std::optional<std::size_t> value_begin(const PasswordOption& option, std::string_view word,
                                       bool is_joined) {
  if (!option.word.empty() && word.starts_with(option.word)) {
    if (word == option.word) return word.size();
    const std::size_t behind = option.word.size() + 1;
    const bool has_value = word[behind - 1] == '=' && (behind < word.size() || is_joined);
    return has_value ? std::optional(behind) : std::nullopt;
  }
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return std::nullopt;
  if (word[1] == option.letter && word.size() > 2) return 2;
  // `-sSu` are three options, and the last one takes the value.
  const bool is_last =
      word.back() == option.letter && std::ranges::all_of(word.substr(1), is_letter);
  const bool may_follow = is_joined || option.place == Place::in_either_word;
  return is_last && may_follow ? std::optional(word.size()) : std::nullopt;
}

/// The part of a word after the option name, or after the colon of a user.
Range password_in(const ScanText& text, Holds holds, Range own, Range joined) {
  if (holds == Holds::user_and_password) {
    const auto behind_colon = [&text](Range part) {
      const std::size_t colon = text.between(part.begin, part.end).find(':');
      return colon == std::string_view::npos
                 ? std::nullopt
                 : std::optional(Range{part.begin + colon + 1, part.end});
    };
    if (const auto password = behind_colon(own)) {
      own = *password;
    } else {
      return behind_colon(joined).value_or(Range());
    }
  }
  if (own.empty()) return joined;
  return {own.begin, joined.empty() ? own.end : joined.end};
}

/// `-p3306:3306` of a container with the name of its program.
bool is_port_map(std::string_view value) {
  return value.contains(':') &&
         std::ranges::all_of(value, [](char c) { return is_digit(c) || c == ':' || c == '.'; });
}

/// Removes the bracket around the whole command: `$(mysql -pVALUE)`.
Range without_bracket(const ScanText& text, Range place) {
  constexpr std::string_view kCloses = ")]}";
  constexpr std::string_view kOpens = "([{";
  while (!place.empty()) {
    const std::size_t which = kCloses.find(text.at(place.end - 1));
    const std::string_view value = text.between(place.begin, place.end);
    if (which == kCloses.npos || value.contains(kOpens[which])) break;
    --place.end;
  }
  return place;
}

/// Some programs take a token instead of a user, without a password: `curl -u TOKEN:`.
Range token_in_place_of_user(const ScanText& text, Range own, Range joined) {
  Range user = own.empty() ? joined : own;
  if (user.empty() || text.at(user.end - 1) != ':') return {};
  --user.end;
  return looks_generated(text.between(user.begin, user.end)) ? user : Range();
}

void judge(ScanText& text, const PasswordOption& option, Range own, Range joined) {
  Range place = password_in(text, option.holds, own, joined);
  if (joined.empty()) place = without_bracket(text, place);
  if (place.empty() && option.holds == Holds::user_and_password) {
    place = token_in_place_of_user(text, own, joined);
  }
  const std::string_view password = text.between(place.begin, place.end);
  text.add_work(password.size());
  // As in a URL, the text in this place is a password, whatever its look.
  if (password.size() < kLeast || is_placeholder(password) || is_port_map(password)) return;
  static const DetectorId detector = detector_id("command.password");
  text.report(detector, place.begin, place.end);
}

/// The options that a word adds, if it is the name or path of a program.
Options options_named(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return options_of(slash == std::string_view::npos ? word : word.substr(slash + 1));
}

}  // namespace

void read_command_password(ScanText& text, std::size_t begin, std::size_t) {
  // Inside an examined command, only a quoted program begins a new one.
  JudgedValue& last = text.last_command();
  const bool is_quoted = begin > 0 && kQuotes.holds(text.at(begin - 1));
  if (begin < last.end() && !is_quoted) return;
  if (!text.begins_word(begin)) return;
  const std::size_t name_end = text.run_end(kProgramName, begin, kNameMax);
  Options options = options_of(text.between(begin, name_end));
  if (options == 0) return;
  std::optional<CommandWords> words = words_behind(text, name_end);
  if (!words || !last.lets_read(begin)) return;
  while (const std::optional<Word> word = words->next()) {
    const std::string_view said = text.between(word->own.begin, word->own.end);
    if (!said.starts_with('-')) options &= ~kLeadingOptions;
    if (const Options named = options_named(said); named != 0) {
      options |= named;
      words->go_on(words->at());
    }
    for (std::size_t i = 0; i < std::size(kOptions); ++i) {
      if ((options >> i & 1) == 0) continue;
      const PasswordOption& option = kOptions[i];
      const auto at = value_begin(option, said, !word->joined.empty());
      if (!at) continue;
      if (*at < said.size() || !word->joined.empty()) {
        judge(text, option, {word->own.begin + *at, word->own.end}, word->joined);
      } else if (const std::optional<Word> next = words->next()) {
        judge(text, option, next->own, next->joined);
      }
      break;
    }
  }
  text.add_work(words->at() - begin);
  last.note(begin, words->at());
}

}  // namespace bartizan
