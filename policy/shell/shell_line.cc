#include "policy/shell/shell_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "policy/shell/shell_reader.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Words that begin or join conditionals and loops. Source: POSIX.1-2024 XCU §2.4, and bash's own.
bool is_reserved(std::string_view word) {
  static constexpr auto kReserved = std::to_array<std::string_view>(
      {"!", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
       "if", "in", "select", "then", "until", "while"});
  return std::ranges::find(kReserved, word) != kReserved.end();
}

bool has_unusual_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
  });
}

bool is_number(const ShellWord& word) {
  return word.is_plain && word.is_known && !word.text.empty() &&
         std::ranges::all_of(word.text, is_digit);
}

/// `{fd}` before a redirection: bash opens a stream and names it.
bool is_stream_variable(const ShellWord& word) {
  return word.is_plain && word.text.starts_with('{') && word.text.ends_with('}');
}

/// The operator at the beginning; the longest first.
std::string_view redirection_at(std::string_view text) {
  static constexpr auto kMarks =
      std::to_array<std::string_view>({"<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"});
  const auto* const found = std::ranges::find_if(
      kMarks, [text](std::string_view mark) { return text.starts_with(mark); });
  return found == kMarks.end() ? std::string_view() : *found;
}

}  // namespace

ShellReader::ShellReader(std::string_view text, ShellReading& reading)
    : text_(text),
      reading_(reading),
      decoded_(static_cast<char*>(reading.memory.allocate(text.size() + 1, 1))) {}

bool ShellReader::fail(ShellFault fault) {
  reading_.fault = fault;
  return false;
}

void ShellReader::skip_blanks() {
  while (peek() == ' ' || peek() == '\t')
    ++at_;
}

bool ShellReader::read() {
  return read_list(End::text);
}

bool ShellReader::read_list(End end) {
  if (reading_.depth == limits::shell_depth_max) return fail(ShellFault::too_deep);
  // Then shells expect its lines in different places.
  if (here_document_) return fail(ShellFault::unknown);
  ++reading_.depth;
  const bool is_read = read_to_end_of_list(end);
  --reading_.depth;
  return is_read && (!here_document_ || fail(ShellFault::unclosed));
}

bool ShellReader::read_to_end_of_list(End end) {
  bool has_commands = false;
  while (true) {
    skip_blanks();
    skip_comment();
    if (peek() == '\n' && !at_end()) {
      if (!read_line_feed()) return false;
      continue;
    }
    if (ends_list(end)) return has_commands || end == End::text || fail(ShellFault::unknown);
    if (at_end()) return fail(ShellFault::unclosed);
    // The operator between two commands was noted already, or it was a line end.
    if (has_commands) reading_.line.syntax.sequences = true;
    if (!read_pipe_or_list()) return false;
    has_commands = true;
    skip_blanks();
    if (!read_separator()) return false;
  }
}

/// Commands joined by `|`, `&&` and `||`: a command must follow these.
bool ShellReader::read_pipe_or_list() {
  while (true) {
    if (!read_command()) return false;
    skip_blanks();
    const bool is_and_or = starts_with("&&") || starts_with("||");
    if (!is_and_or && peek() != '|') return true;
    (is_and_or ? reading_.line.syntax.sequences : reading_.line.syntax.pipes) = true;
    at_ += is_and_or || starts_with("|&") ? 2 : 1;
    skip_blanks();
    skip_comment();
    while (peek() == '\n') {
      if (!read_line_feed()) return false;
      skip_blanks();
      skip_comment();
    }
    if (at_end()) return fail(ShellFault::unclosed);
  }
}

/// `;` and `&` end a command. The end of the list is left unread.
bool ShellReader::read_separator() {
  if (peek() != ';' && peek() != '&') return true;
  // After `&>`, bash reads a file name, and other shells another command.
  const bool is_dialect = starts_with(";;") || starts_with(";&") || starts_with("&>");
  if (is_dialect) return fail(ShellFault::unknown);
  reading_.line.syntax.sequences = true;
  ++at_;
  return true;
}

bool ShellReader::ends_list(End end) {
  switch (end) {
    case End::text:
      return at_end();
    case End::parenthesis:
      if (peek() != ')') return false;
      break;
    case End::brace:
      const char behind = peek(1);
      const bool is_word = behind == '\0' || std::string_view(" \t\n;&|)<>").contains(behind);
      if (peek() != '}' || !is_word) return false;
      break;
  }
  ++at_;
  return true;
}

bool ShellReader::read_line_feed() {
  ++at_;
  return !here_document_ || read_here_document();
}

bool ShellReader::read_command() {
  if (starts_with("((")) return fail(ShellFault::unknown);
  if (peek() == '(') return read_group(End::parenthesis);
  const char behind = peek(1);
  if (peek() == '{' && (behind == ' ' || behind == '\t' || behind == '\n')) {
    return read_group(End::brace);
  }
  return read_simple_command();
}

bool ShellReader::read_group(End end) {
  reading_.line.syntax.sequences = true;
  ++at_;
  if (!read_list(end)) return false;
  // A redirection here applies to the whole group.
  ShellCommand group(&reading_.memory);
  skip_blanks();
  while (!redirection_at(text_.substr(at_)).empty()) {
    if (!read_redirection(group)) return false;
    skip_blanks();
  }
  if (!group.redirections.empty()) reading_.line.commands.push_back(std::move(group));
  return true;
}

bool ShellReader::read_simple_command() {
  ShellCommand command(&reading_.memory);
  while (true) {
    skip_blanks();
    skip_comment();
    const bool is_process = starts_with("<(") || starts_with(">(");
    const bool is_redirected = !is_process && !redirection_at(text_.substr(at_)).empty();
    if (is_redirected) {
      if (!read_redirection(command)) return false;
      continue;
    }
    if (at_end() || (std::string_view("\n;&|)").contains(peek()))) break;
    if (peek() == '(') {
      return fail(command.words.size() == 1 ? ShellFault::function : ShellFault::unknown);
    }
    if (!read_part(command)) return false;
  }
  const bool is_empty =
      command.words.empty() && command.assignments.empty() && command.redirections.empty();
  if (is_empty) return fail(ShellFault::unknown);
  reading_.line.commands.push_back(std::move(command));
  return true;
}

/// A word, a variable before the program, or the number of a stream.
bool ShellReader::read_part(ShellCommand& command) {
  const auto word = read_word();
  if (!word) return false;
  const bool is_redirected = peek() == '<' || peek() == '>';
  if (is_redirected && is_stream_variable(*word)) return fail(ShellFault::unknown);
  // `dash` reads more digits as a word.
  if (is_redirected && is_number(*word)) {
    return word->text.size() == 1 || fail(ShellFault::unknown);
  }
  const bool is_first = command.words.empty();
  if (is_first && word->is_plain && word->is_known && is_reserved(word->text)) {
    return fail(word->text == "function" ? ShellFault::function : ShellFault::unknown);
  }
  (is_first && word->name_size > 0 ? command.assignments : command.words).push_back(*word);
  return true;
}

bool ShellReader::read_redirection(ShellCommand& command) {
  reading_.line.syntax.redirections = true;
  const std::string_view mark = redirection_at(text_.substr(at_));
  at_ += mark.size();
  skip_blanks();
  const std::size_t begin = at_;
  const auto word = read_word();
  if (!word) return false;
  if (at_ == begin) return fail(ShellFault::unclosed);
  const bool is_here_document = mark == "<<" || mark == "<<-";
  if (is_here_document && !expect_here_document(*word, mark)) return false;
  const bool is_stream = mark.ends_with('&');
  // After `-`, bash begins another word. Only bash accepts a file name here.
  const bool is_closed = word->is_plain && word->is_known && word->text == "-";
  if (is_stream && !is_number(*word) && !is_closed) return fail(ShellFault::unknown);
  command.redirections.push_back(
      {.target = *word, .is_file = !is_here_document && mark != "<<<" && !is_stream});
  return true;
}

bool ShellReader::expect_here_document(const ShellWord& end, std::string_view mark) {
  const bool is_readable = end.is_known && !end.text.empty() && !end.text.contains('\n');
  if (!is_readable || here_document_) return fail(ShellFault::unknown);
  here_document_ = {.end = end.text, .is_literal = !end.is_plain, .without_tabs = mark == "<<-"};
  return true;
}

/// Reads the lines up to the delimiter. Fails if they have an expansion.
bool ShellReader::read_here_document() {
  const HereDocument document = *std::exchange(here_document_, std::nullopt);
  while (!at_end()) {
    std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
    at_ = std::min(at_ + line.size() + 1, text_.size());
    while (document.without_tabs && line.starts_with('\t'))
      line.remove_prefix(1);
    if (line == document.end) return true;
    const bool expands = line.find_first_of("$`\\") != std::string_view::npos;
    if (expands && !document.is_literal) return fail(ShellFault::unknown);
  }
  return fail(ShellFault::unclosed);
}

void ShellReader::skip_comment() {
  if (peek() != '#') return;
  reading_.line.syntax.comments = true;
  at_ = std::min(text_.find('\n', at_), text_.size());
}

std::expected<ShellLine, ShellFault> read_shell_line(std::string_view text,
                                                     std::pmr::memory_resource& memory) {
  if (text.size() > limits::command_bytes_max) return std::unexpected(ShellFault::too_long);
  if (!is_valid_utf8(text) || has_unusual_control(text)) return std::unexpected(ShellFault::bytes);
  ShellReading reading{.memory = memory, .line = ShellLine(&memory)};
  if (!ShellReader(text, reading).read()) {
    return std::unexpected(reading.fault.value_or(ShellFault::unknown));
  }
  return std::move(reading.line);
}

}  // namespace bartizan
