#include <algorithm>
#include <optional>
#include <string>

#include "policy/detect/assigned_value.h"
#include "policy/detect/detector_id.h"
#include "policy/detect/named_secrets.h"
#include "policy/detect/secret_name.h"
#include "policy/detect/secret_readers.h"
#include "policy/detect/secret_value.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr ByteSet kProgramName("A-Za-z0-9_.");
constexpr ByteSet kSpaces(" \t");
/// How much of a value is judged, so that no text is read again for each name within it.
constexpr std::size_t kValueMax = 1024;
constexpr ByteSet kNoSpaces = ByteSet(" \t\r\n").others();

/// A name in one spelling: `AWS_SECRET_ACCESS_KEY` and `awsSecretAccessKey` are the same.
std::string folded_name(std::string_view name) {
  std::string folded;
  for (const char c : name)
    if (is_letter(c) || is_digit(c)) folded += lower_case(c);
  return folded;
}

/// Whether a name begins its line, as in files of configuration.
bool begins_line(ScanText& text, const Assignment& assigned) {
  constexpr std::size_t kIndentMax = 16;
  constexpr std::string_view kBefore[] = {"export", "ENV", "set", "-"};
  const auto is_first = [&text](std::size_t at) {
    // Strings are scanned in quotes.
    return at == 0 || text.ends_line(at - 1) || text.at(at - 1) == '"';
  };
  const std::size_t begin = text.run_begin(kSpaces, assigned.name_begin, kIndentMax);
  if (is_first(begin)) return text.at(assigned.name_end) != '"';
  return std::ranges::any_of(kBefore, [&](std::string_view word) {
    return begin >= word.size() && text.holds(word, begin - word.size()) &&
           is_first(begin - word.size());
  });
}

/// Whether a line goes on with the next pair of a form, a connection string or an object.
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

/// Whether what follows a word is of a program or of markup: a call, an index, what closes.
bool is_syntax(std::string_view word, std::string_view rest) {
  constexpr std::string_view kOpen = "([{";
  static constexpr std::string_view kClose = ")]};,";
  const auto closes = [](char c) { return kClose.contains(c); };
  if (std::ranges::all_of(rest, closes) || rest.contains("</")) return true;
  const bool is_name =
      !word.empty() && std::ranges::all_of(word, [](char c) { return kProgramName.holds(c); });
  return is_name && kOpen.contains(rest.front()) && closes(rest.back());
}

/// Without quotes, a value of a line of its own goes to the end of that, whatever is in it: people
/// choose passwords with all that their keyboards have.
void go_on_to_line_end(ScanText& text, Assignment& assigned) {
  if (assigned.quoting != Quoting::none || assigned.value_begin < text.line_value_end()) return;
  if (!begins_line(text, assigned)) return;
  std::size_t end = assigned.value_end;
  const std::size_t most = assigned.value_begin + kValueMax;
  while (end < most && !text.ends_line(end) && !kSpaces.holds(text.at(end)))
    ++end;
  text.set_line_value_end(end);
  text.add_work(end - assigned.value_end);
  if (end > assigned.value_begin && text.at(end) == '\0' && text.at(end - 1) == '"') --end;
  if (end <= assigned.value_end) return;
  const std::size_t behind = text.run_end(kSpaces, end, 64);
  const char next = text.at(behind);
  const bool is_last = text.ends_line(behind) || next == '#' || next == '"';
  const std::string_view word = text.between(assigned.value_begin, assigned.value_end);
  const std::string_view rest = text.between(assigned.value_end, end);
  text.add_work(2 * rest.size());
  if (!is_last || holds_pair(rest) || is_syntax(word, rest)) return;
  if (looks_mixed(text.between(assigned.value_begin, end))) assigned.value_end = end;
}

std::string_view judged_value(const ScanText& text, const Assignment& assigned) {
  return text.between(assigned.value_begin, assigned.value_end).substr(0, kValueMax);
}

/// Where something is kept, in place of it.
bool is_reference(std::string_view value) {
  constexpr std::string_view kBegins[] = {
      "/",    "./",   "../",  "~/",   "file:", "env:",   "env.",     "vault:",  "arn:",
      "ssm:", "gcp:", "ref:", "var.", "data.", "local.", "secrets.", "process."};
  if (value.contains("://")) return true;
  return std::ranges::any_of(kBegins,
                             [value](std::string_view begin) { return value.starts_with(begin); });
}

bool has_space(std::string_view value) {
  return std::ranges::any_of(value, [](char c) { return kSpaces.holds(c); });
}

/// Whether a value without quotes is a name of the program that it stands in.
bool is_program_name(const ScanText& text, const Assignment& assigned, SecretName kind) {
  constexpr std::string_view kCalls = "([{";
  if (kCalls.contains(text.at(assigned.value_end)) && assigned.value_end < text.size()) return true;
  const std::string_view value = judged_value(text, assigned);
  if (!std::ranges::all_of(value, [](char c) { return kProgramName.holds(c); })) return false;
  // No name changes so often between digits and letters.
  constexpr std::size_t kRandomMin = 8;
  if (kind == SecretName::password && value.size() >= kRandomMin && looks_mixed(value))
    return false;
  const bool has_digit = std::ranges::any_of(value, is_digit);
  if (!has_digit || value.contains('.') || value.contains('_')) return !looks_generated(value);
  // `x = name2` of a program; `X=name2` and `x: name2` of a configuration.
  std::size_t before = assigned.value_begin;
  while (before > assigned.name_end && kSpaces.holds(text.at(before - 1)))
    --before;
  return before != assigned.value_begin && text.at(before - 1) == '=' && !looks_generated(value);
}

/// Whether an assignment stands among others in one line, as in the strings by which programs
/// connect to databases: `Server=db;Password=…;`, `host=db password=…`.
bool is_connection(ScanText& text, const Assignment& assigned) {
  constexpr std::size_t kPairMax = 64;
  if (assigned.quoting != Quoting::none || text.at(assigned.name_end) != '=') return false;
  const std::string_view name = text.between(assigned.name_begin, assigned.name_end);
  if (name.contains('.') || text.at(assigned.name_end + 1) == ' ') return false;
  if (text.at(assigned.value_end) == ';') return true;
  if (assigned.name_begin == 0) return false;
  const char before = text.at(assigned.name_begin - 1);
  if (before == ';') return true;
  if (before != ' ') return false;
  const std::size_t pair = text.run_begin(kNoSpaces, assigned.name_begin - 1, kPairMax);
  return text.between(pair, assigned.name_begin - 1).contains('=');
}

std::optional<DetectorId> named_detector(const ScanDatabase& database, std::string_view name,
                                         std::string_view value) {
  if (value.size() < 16 || !looks_random(value)) return std::nullopt;
  const std::string folded = folded_name(name);
  for (std::size_t i = 0; i < named_secrets().size(); ++i) {
    if (!folded.contains(named_secrets()[i].word)) continue;
    if (is_token(value, database.named_patterns()[i], database.alphabets()))
      return database.named_detector(i);
  }
  return std::nullopt;
}

std::optional<DetectorId> judge(ScanText& text, const Assignment& assigned, SecretName kind) {
  static const DetectorId connection = detector_id("connection.password");
  static const DetectorId assignment = detector_id("assignment");
  const std::string_view value = judged_value(text, assigned);
  text.add_work(value.size());
  if (kind == SecretName::none || is_placeholder(value) || has_space(value)) return std::nullopt;
  if (kind == SecretName::password && is_connection(text, assigned) && value.size() >= 4)
    return connection;
  if (is_reference(value)) return std::nullopt;
  if (assigned.quoting == Quoting::none && is_program_name(text, assigned, kind))
    return std::nullopt;
  const bool is_secret = kind == SecretName::password
                             ? looks_chosen(value)
                             : looks_generated(value) || looks_keyed(value);
  return is_secret ? std::optional(assignment) : std::nullopt;
}

}  // namespace

void read_assignment(ScanText& text, const ScanDatabase& database, std::size_t begin,
                     std::size_t end) {
  // A name that has several of the words is read once.
  if (begin < text.assigned_end() || !text.last_assigned().lets_read(begin)) return;
  auto assigned = read_assigned(text, begin, end);
  if (!assigned) return;
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
