#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "policy/detect/assigned_place.h"
#include "policy/detect/assigned_value.h"
#include "policy/detect/basic_credential.h"
#include "policy/detect/detector_id.h"
#include "policy/detect/named_secrets.h"
#include "policy/detect/program_text.h"
#include "policy/detect/reference_text.h"
#include "policy/detect/secret_name.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "policy/detect/value_words.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kProgramName("A-Za-z0-9_.");
constexpr ByteSet kSpaces(" \t");
/// The judged part of a value. It keeps a text from being read again for each name within it.
constexpr std::size_t kValueMax = 1024;
constexpr ByteSet kNoSpaces = ByteSet(" \t\r\n").others();

/// The normal form of a name: `AWS_SECRET_ACCESS_KEY` and `awsSecretAccessKey` are the same.
std::string folded_name(std::string_view name) {
  std::string folded;
  for (const char c : name)
    if (is_letter(c) || is_digit(c)) folded += lower_case(c);
  return folded;
}

/// The text before a name that is the first of its line, as in configuration files.
enum class Before : std::uint8_t {
  more,    ///< Something else: the name is not the first.
  line,    ///< Nothing.
  string,  ///< The opening quote of its string.
};

Before what_is_before(ScanText& text, const Assignment& assigned) {
  constexpr std::size_t kIndentMax = 16;
  constexpr std::string_view kBefore[] = {"export", "ENV", "set", "-", ";", "#"};
  const auto first = [&text](std::size_t at) {
    if (at == 0 || text.ends_line(at - 1)) return Before::line;
    return text.at(at - 1) == '"' ? Before::string : Before::more;
  };
  const std::size_t begin = text.run_begin(kSpaces, assigned.name_begin, kIndentMax);
  if (const Before before = first(begin); before != Before::more) {
    return text.at(assigned.name_end) == '"' ? Before::more : before;
  }
  for (const std::string_view word : kBefore) {
    if (begin >= word.size() && text.holds(word, begin - word.size())) {
      return first(begin - word.size());
    }
  }
  return Before::more;
}

/// Whether a quote closes its string, so that no string follows.
bool ends_string(const ScanText& text, std::size_t quote) {
  constexpr std::string_view kBehind = ",}]):; \t\\";
  return text.ends_line(quote + 1) || kBehind.contains(text.at(quote + 1));
}

/// Whether the text after a comma or bar is the next cell of a table: a number or a word.
bool holds_cell(std::string_view rest) {
  constexpr std::string_view kParts = ",|\t";
  constexpr std::size_t kWordMin = 3;
  const std::size_t mark = rest.find_first_of(kParts);
  if (mark == rest.npos) return false;
  const std::string_view cell =
      rest.substr(mark + 1, rest.find_first_of(kParts, mark + 1) - (mark + 1));
  if (!cell.empty() && std::ranges::all_of(cell, is_digit)) return true;
  return cell.size() >= kWordMin && std::ranges::all_of(cell, is_letter) && reads_as_name(cell);
}

/// Whether a line continues with the next pair of a form, a connection string or an object.
bool holds_pair(std::string_view rest) {
  constexpr std::string_view kBetween = "&;,";
  for (std::size_t at = 0; at < rest.size(); ++at) {
    if (!kBetween.contains(rest[at])) continue;
    std::size_t end = at + 1;
    while (end < rest.size() && kProgramName.holds(rest[end]))
      ++end;
    if (end > at + 1 && end < rest.size() && (rest[end] == '=' || rest[end] == ':')) return true;
  }
  return false;
}

/// Whether a value has a run of letters and digits that is not part of a name: `Tr0ub4dor`.
bool holds_odd_word(std::string_view value) {
  constexpr std::size_t kLengthMin = 8;
  const auto is_of_word = [](char c) { return is_letter(c) || is_digit(c); };
  for (std::size_t at = 0; at < value.size(); ++at) {
    std::size_t end = at;
    while (end < value.size() && is_of_word(value[end]))
      ++end;
    const std::string_view word = value.substr(at, end - at);
    if (word.size() >= kLengthMin && std::ranges::any_of(word, is_digit) && looks_mixed(word))
      return true;
    at = end;
  }
  return false;
}

/// `DB_PASSWORD=…`, as in files of variables.
bool is_variable(const ScanText& text, const Assignment& assigned) {
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  return text.at(assigned.name_end) == '=' && assigned.value_begin == assigned.name_end + 1 &&
         std::ranges::none_of(name, is_lower);
}

/// Whether program syntax or markup follows a word: a call, an index, a closing sign.
bool is_syntax(std::string_view word, std::string_view rest) {
  constexpr std::string_view kOpen = "([{";
  static constexpr std::string_view kClose = ")]};,";
  const auto closes = [](char c) { return kClose.contains(c); };
  if (std::ranges::all_of(rest, closes) || rest.contains("</")) return true;
  if (is_expression(std::string(word) + std::string(rest))) return true;
  const bool is_name =
      !word.empty() && std::ranges::all_of(word, [](char c) { return kProgramName.holds(c); });
  return is_name && kOpen.contains(rest.front()) && closes(rest.back());
}

/// An unquoted value on its own line extends to the end of the line, with any characters. Passwords
/// have all characters of a keyboard.
void go_on_to_line_end(ScanText& text, Assignment& assigned) {
  if (assigned.quoting != Quoting::none || assigned.value_begin < text.line_value_end()) return;
  const Before before = what_is_before(text, assigned);
  if (before == Before::more) return;
  const auto ends_here = [&](std::size_t at) {
    const std::size_t quote = text.at(at) == '\\' ? at + 1 : at;
    return before == Before::string && text.at(quote) == '"' && ends_string(text, quote);
  };
  std::size_t end = assigned.value_end;
  const std::size_t most = assigned.value_begin + kValueMax;
  while (end < most && !text.ends_line(end) && !kSpaces.holds(text.at(end)) && !ends_here(end))
    ++end;
  text.set_line_value_end(end);
  text.add_work(end - assigned.value_end);
  if (end > assigned.value_begin && text.at(end) == '\0' && text.at(end - 1) == '"') --end;
  if (end <= assigned.value_end) return;
  const std::size_t behind = text.run_end(kSpaces, end, 64);
  const char next = text.at(behind);
  const bool is_last = text.ends_line(behind) || next == '#' || next == '"' || next == '\\';
  const std::string_view word = text.between(assigned.value_begin, assigned.value_end);
  const std::string_view rest = text.between(assigned.value_end, end);
  text.add_work(2 * rest.size());
  if (!is_last || holds_pair(rest) || holds_cell(rest)) return;
  const bool is_literal = is_variable(text, assigned) && holds_odd_word(rest);
  if (!is_literal && is_syntax(word, rest)) return;
  if (looks_mixed(text.between(assigned.value_begin, end))) assigned.value_end = end;
}

/// In single or back quotes inside a string, a value ends with the string: `"password='a","n":1`.
void end_with_string(ScanText& text, Assignment& assigned) {
  if (assigned.quoting != Quoting::quotes || assigned.value_begin == 0) return;
  const char quote = text.at(assigned.value_begin - 1);
  if (quote == '"' || text.at(assigned.value_end) == '"') return;
  const std::size_t most = std::min(assigned.value_end, assigned.value_begin + kValueMax);
  const std::string_view value = text.between(assigned.value_begin, most);
  text.add_work(value.size());
  for (std::size_t at = value.find('"'); at != value.npos; at = value.find('"', at + 1)) {
    constexpr std::string_view kBehind = ",}]:";
    const char next = text.at(assigned.value_begin + at + 1);
    if (next == '\0' || !kBehind.contains(next)) continue;
    if (!is_in_string(text, assigned.name_begin, '"')) return;
    const bool is_escaped = at > 0 && value[at - 1] == '\\';
    assigned.value_end = assigned.value_begin + at - (is_escaped ? 1 : 0);
    return;
  }
}

std::string_view judged_value(const ScanText& text, const Assignment& assigned) {
  return text.between(assigned.value_begin, assigned.value_end).substr(0, kValueMax);
}

bool has_space(std::string_view value) {
  return std::ranges::any_of(value, [](char c) { return kSpaces.holds(c); });
}

/// `Sommer.Regen24`: joined capitalised words and a number of two digits are typical of passwords,
/// and rare in names of programs.
bool is_phrase_with_number(std::string_view value) {
  constexpr std::string_view kJoints = "._-";
  constexpr std::size_t kDigits = 2;
  if (value.size() <= kDigits ||
      !std::ranges::all_of(value.substr(value.size() - kDigits), is_digit))
    return false;
  const std::string_view words = value.substr(0, value.size() - kDigits);
  bool is_joined = false;
  bool begins = true;
  for (const char c : words) {
    if (kJoints.contains(c) ? begins : !(begins ? is_upper(c) : is_lower(c))) return false;
    begins = kJoints.contains(c);
    is_joined |= begins;
  }
  return is_joined && !begins;
}

/// Whether a value only looks like part of a program: it is a password alone in its line, or in
/// quotes.
bool is_literal(ScanText& text, const Assignment& assigned, SecretName kind) {
  if (kind != SecretName::password) return false;
  const std::string_view value = judged_value(text, assigned);
  if (assigned.quoting == Quoting::quotes) {
    return !assigned.is_formatted && (is_phrase_with_number(value) || holds_odd_word(value));
  }
  if (assigned.quoting == Quoting::markup) return is_phrase_with_number(value);
  if (!text.ends_line(assigned.value_end) && text.at(assigned.value_end) != '"') return false;
  if (what_is_before(text, assigned) == Before::more) return false;
  return is_phrase_with_number(value) || (is_variable(text, assigned) && holds_odd_word(value));
}

/// `;PASSWD = RiverStone1`: a line of a settings file. The name is in capitals and the value is not
/// a typical name in a program.
bool is_setting(ScanText& text, const Assignment& assigned) {
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  const std::string_view value = judged_value(text, assigned);
  const bool is_text_end =
      text.at(assigned.value_end) == '"' && text.at(assigned.value_end + 1) == '\0';
  if (!is_text_end && !text.ends_line(assigned.value_end)) return false;
  if (std::ranges::any_of(name, is_lower)) return false;
  if (!is_upper(value.front()) || !is_digit(value.back()) || value.contains('_')) return false;
  return std::ranges::any_of(value, is_lower) && what_is_before(text, assigned) != Before::more;
}

/// Whether an unquoted value is a name of the surrounding program.
bool is_program_name(ScanText& text, const Assignment& assigned, SecretName kind) {
  constexpr std::string_view kCalls = "([{";
  constexpr std::size_t kLineMax = 160;
  if (kind == SecretName::password && is_setting(text, assigned)) return false;
  const std::string_view line = text.bytes().substr(assigned.value_begin, kLineMax);
  if (is_expression(line.substr(0, line.find('\0')))) return true;
  if (kCalls.contains(text.at(assigned.value_end)) && assigned.value_end < text.size()) return true;
  const std::string_view value = judged_value(text, assigned);
  // A member of a variable inside a string: `pass=x$ctx->{name}`.
  const bool is_member =
      text.holds(">{", assigned.value_end) || text.holds(">[", assigned.value_end);
  if (assigned.is_compared || (is_member && value.ends_with('-'))) return true;
  if (!std::ranges::all_of(value, [](char c) { return kProgramName.holds(c); })) return false;
  // Names do not change so often between digits and letters.
  constexpr std::size_t kRandomMin = 8;
  if (kind == SecretName::password && value.size() >= kRandomMin && looks_mixed(value))
    return false;
  const bool has_digit = std::ranges::any_of(value, is_digit);
  if (!has_digit || value.contains('.') || value.contains('_')) return !looks_generated(value);
  // `x = name2` is a program; `X=name2` and `x: name2` are a configuration.
  std::size_t before = assigned.value_begin;
  while (before > assigned.name_end && kSpaces.holds(text.at(before - 1)))
    --before;
  return before != assigned.value_begin && text.at(before - 1) == '=' && !looks_generated(value);
}

/// Whether an assignment is one of several in a line, as in connection strings:
/// `Server=db;Password=…;`, `host=db password=…`.
bool is_connection(ScanText& text, const Assignment& assigned) {
  constexpr std::size_t kPairMax = 64;
  if (assigned.quoting != Quoting::none || text.at(assigned.name_end) != '=') return false;
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  if (name.contains('.') || name.starts_with('-') || text.at(assigned.name_end + 1) == ' ') {
    return false;
  }
  const char behind = text.at(assigned.value_end);
  const std::string_view value = judged_value(text, assigned);
  if (is_constant_name(value) || (value.contains('.') && is_expression(value))) return false;
  if (behind == ';') return true;
  if (assigned.name_begin == 0 || behind == ',' || behind == ')' || behind == '(') return false;
  const char before = text.at(assigned.name_begin - 1);
  if (before == ';') return true;
  if (before != ' ') return false;
  const std::size_t pair = text.run_begin(kNoSpaces, assigned.name_begin - 1, kPairMax);
  const std::string_view other = text.between(pair, assigned.name_begin - 1);
  return other.contains('=') && !other.ends_with(',') && !other.contains('(');
}

std::optional<DetectorId> named_detector(const ScanDatabase& database, std::string_view name,
                                         std::string_view value) {
  if (value.size() < 16 || !looks_random(value) || reads_as_words(value)) return std::nullopt;
  const std::string folded = folded_name(name);
  for (std::size_t i = 0; i < named_secrets().size(); ++i) {
    if (!folded.contains(named_secrets()[i].word)) continue;
    if (is_token(value, database.named_patterns()[i], database.alphabets()))
      return database.named_detector(i);
  }
  return std::nullopt;
}

/// Base64 of a public key, of RSA and of elliptic curves, or the beginning of one.
/// Source: RFC 5280 section 4.1, SubjectPublicKeyInfo; RFC 8017, A.1.1; RFC 5480 and RFC 8410.
bool is_public_key(std::string_view value) {
  struct Form {
    std::string_view begin;
    std::size_t size;
  };
  constexpr Form kForms[] = {
      {"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", 392},
      {"MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA", 736},
      {"MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ", 216},
      {"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE", 124},
      {"MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE", 160},
      {"MCowBQYDK2VwAyEA", 60},
  };
  static constexpr ByteSet kBase64("A-Za-z0-9+/=");
  return std::ranges::any_of(kForms, [value](const Form& form) {
    return value.starts_with(form.begin) && value.size() <= form.size &&
           std::ranges::all_of(value, [&](char c) { return kBase64.holds(c); });
  });
}

/// `${PASSWORD:?must be set}`: a message, or the replacement of a set value.
bool is_of_template(const ScanText& text, const Assignment& assigned) {
  const bool is_braced = assigned.name_begin >= 2 && text.holds("${", assigned.name_begin - 2);
  const char first = text.at(assigned.value_begin);
  return is_braced && (first == '?' || first == '+');
}

/// Whether a value only repeats its name: `CLIENT_SECRET` and `oauth2ClientSecret2`. A quoted
/// password may end with the word, but `RiverStonePassword1` has more.
bool is_own_name(std::string_view name, std::string_view value, Quoting quoting) {
  constexpr std::size_t kLengthMax = 64;
  constexpr std::size_t kLengthMin = 6;
  if (value.size() > kLengthMax) return false;
  const auto without_number = [](std::string folded) {
    while (!folded.empty() && is_digit(folded.back()))
      folded.pop_back();
    return folded;
  };
  const std::string said = without_number(folded_name(name));
  const std::string repeated = without_number(folded_name(value));
  if (repeated.size() < kLengthMin || said.size() < kLengthMin) return false;
  if (said.ends_with(repeated)) return true;
  if (!repeated.ends_with(said) || !reads_as_name(value)) return false;
  return quoting == Quoting::none || is_lower(value.front()) || only_says_secret(repeated);
}

std::optional<DetectorId> judge(ScanText& text, const Assignment& assigned, SecretName kind) {
  static const DetectorId connection = detector_id("connection.password");
  static const DetectorId assignment = detector_id("assignment");
  const std::string_view value = judged_value(text, assigned);
  text.add_work(value.size());
  if (kind == SecretName::none || is_placeholder(value) || has_space(value)) return std::nullopt;
  // Files of npm and Docker have `user:password` under this name. Other files may have anything.
  if (folded_name(text.between(assigned.name_begin, assigned.name_end)) == "auth") {
    const bool is_basic = is_basic_credential(value) && !is_example_credential(value);
    return is_basic ? std::optional(assignment) : std::nullopt;
  }
  if (kind == SecretName::password && is_connection(text, assigned) && value.size() >= 4)
    return connection;
  if (is_reference(value) || is_of_template(text, assigned)) return std::nullopt;
  if (is_no_assignment(text, assigned, value) || reads_as_joined_text(value)) return std::nullopt;
  if (assigned.is_formatted && value.contains('{')) return std::nullopt;
  const bool is_closed = value.ends_with(']') || value.ends_with(')');
  if (is_public_key(value)) return std::nullopt;
  const bool is_said = is_literal(text, assigned, kind);
  if (is_closed && !is_said && is_expression(value)) return std::nullopt;
  // ("secret1", "label1") may be any two things.
  constexpr std::size_t kListedMin = 8;
  const bool is_any = value.size() < kListedMin || std::ranges::none_of(value, is_digit);
  if (assigned.is_listed && is_any) return std::nullopt;
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  if (is_own_name(name, value, assigned.quoting)) return std::nullopt;
  const bool is_bare = assigned.quoting == Quoting::none;
  if (is_bare && !is_said && is_program_name(text, assigned, kind)) return std::nullopt;
  const bool is_secret = kind == SecretName::password
                             ? looks_chosen(value) || (is_said && is_phrase_with_number(value))
                             : looks_generated(value) || looks_keyed(value);
  return is_secret ? std::optional(assignment) : std::nullopt;
}

}  // namespace

void read_assignment(ScanText& text, const ScanDatabase& database, std::size_t begin,
                     std::size_t end) {
  // A name with several of the words is read once.
  if (begin < text.assigned_end() || !text.last_assigned().lets_read(begin)) return;
  auto assigned = read_assigned(text, begin, end);
  if (!assigned) return;
  end_with_string(text, *assigned);
  go_on_to_line_end(text, *assigned);
  if (assigned->value_begin == assigned->value_end) return;
  text.set_assigned_end(assigned->name_end);
  text.last_assigned().note(begin,
                            std::min(assigned->value_end, assigned->value_begin + kValueMax));
  const std::string_view name = text.between(assigned->name_begin, assigned->name_end);
  const std::string_view value = judged_value(text, *assigned);
  auto detector = named_detector(database, name, value);
  if (!detector) {
    const std::size_t word_end = std::min(end, assigned->name_end);
    const SecretName kind =
        classify_name(name, begin - assigned->name_begin, word_end - assigned->name_begin);
    detector = judge(text, *assigned, kind);
  }
  if (!detector) return;
  text.set_assigned_end(assigned->value_end);
  text.report(*detector, assigned->value_begin, assigned->value_end);
}

}  // namespace bartizan
