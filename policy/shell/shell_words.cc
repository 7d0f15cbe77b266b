#include <algorithm>
#include <string>

#include "policy/shell/shell_reader.h"
#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

/// Whether a character ends a word. Source: POSIX.1-2024 XCU §2.3.
bool ends_word(char c) {
  return std::string_view(" \t\n;&|()<>").contains(c);
}

bool is_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// Parameters of one character: `$?`, `$1`.
bool is_special_parameter(char c) {
  return is_digit(c) || std::string_view("@*#?$!-").contains(c);
}

/// Allowed in `${…}`: default values and cuts of plain text. `@P`, `!` and subscripts can run
/// commands; `=` sets a variable.
bool is_plain_in_braces(char c) {
  return is_name(c) || std::string_view(":+-?#%./").contains(c);
}

/// Only numbers: the value of a variable is evaluated again, and a subscript in it is run.
bool is_plain_in_arithmetic(char c) {
  return is_digit(c) || std::string_view(" \t+-*/%<>!&|^~?:,()").contains(c);
}

std::uint32_t hex_value(char c) {
  if (is_digit(c)) return static_cast<std::uint32_t>(c - '0');
  return static_cast<std::uint32_t>(lower_case(c) - 'a' + 10);
}

}  // namespace

void ShellReader::append(char c) {
  decoded_[decoded_size_] = c;
  ++decoded_size_;
}

/// From here on the word is unknown.
void ShellReader::expand(ShellWord& word) {
  if (!word.is_known) return;
  word.is_known = false;
  word.text = std::string_view(decoded_ + word_begin_, decoded_size_ - word_begin_);
}

std::uint32_t ShellReader::assigned_name_size() const {
  const std::string_view source = text_.substr(word_source_, at_ - word_source_);
  const auto end = std::ranges::find_if_not(source, is_name);
  const auto size = static_cast<std::size_t>(end - source.begin());
  if (size == 0 || is_digit(source.front())) return 0;
  const std::string_view rest = source.substr(size);
  return rest.starts_with('=') || rest.starts_with("+=") ? static_cast<std::uint32_t>(size) : 0;
}

std::optional<ShellWord> ShellReader::read_word() {
  ShellWord word;
  word_begin_ = decoded_size_;
  word_source_ = at_;
  in_brace_ = false;
  while (!at_end()) {
    const bool is_process = starts_with("<(") || starts_with(">(");
    if (ends_word(peek()) && !is_process) break;
    // Readers of inner commands use the same buffer.
    const std::size_t begin = word_begin_;
    const std::size_t source = word_source_;
    const bool in_brace = in_brace_;
    if (is_process) expand(word);
    if (is_process ? !read_substitution(2) : !read_word_part(word)) return std::nullopt;
    word_begin_ = begin;
    word_source_ = source;
    in_brace_ = in_brace_ || in_brace;
  }
  if (word.is_known) {
    word.text = std::string_view(decoded_ + word_begin_, decoded_size_ - word_begin_);
  }
  word.name_size = assigned_name_size();
  return word;
}

bool ShellReader::read_word_part(ShellWord& word) {
  const char c = peek();
  if (c == '\\') return read_escaped(word);
  if (c == '$') return read_dollar(word, Quoted::no);
  if (c != '\'' && c != '"' && c != '`') return read_unquoted(word);
  word.is_plain = false;
  if (c == '\'') return read_single_quoted();
  if (c == '"') return read_double_quoted(word);
  expand(word);
  return read_backquoted(Quoted::no);
}

bool ShellReader::read_unquoted(ShellWord& word) {
  const char c = peek();
  const char before = at_ == word_source_ ? '=' : text_[at_ - 1];
  const bool is_tilde = c == '~' && (before == '=' || before == ':');
  const bool is_list = in_brace_ && (c == ',' || (c == '.' && before == '.'));
  if (c == '{') in_brace_ = true;
  if (c == '*' || c == '?' || c == '[' || is_tilde || is_list) {
    reading_.line.syntax.globs = true;
    expand(word);
  }
  append(c);
  ++at_;
  return true;
}

bool ShellReader::read_escaped(ShellWord& word) {
  if (at_ + 1 == text_.size()) return fail(ShellFault::unclosed);
  const char c = peek(1);
  at_ += 2;
  if (c == '\n') return fail(ShellFault::unknown);
  word.is_plain = false;
  append(c);
  return true;
}

bool ShellReader::read_single_quoted() {
  const std::size_t end = text_.find('\'', at_ + 1);
  if (end == std::string_view::npos) return fail(ShellFault::unclosed);
  for (const char c : text_.substr(at_ + 1, end - at_ - 1))
    append(c);
  at_ = end + 1;
  return true;
}

bool ShellReader::read_double_quoted(ShellWord& word) {
  ++at_;
  while (!at_end()) {
    const char c = peek();
    if (c == '"') {
      ++at_;
      return true;
    }
    bool is_read = true;
    if (c == '\\') {
      is_read = read_escape_in_quotes();
    } else if (c == '$') {
      is_read = read_dollar(word, Quoted::yes);
    } else if (c == '`') {
      expand(word);
      is_read = read_backquoted(Quoted::yes);
    } else {
      append(c);
      ++at_;
    }
    if (!is_read) return false;
  }
  return fail(ShellFault::unclosed);
}

/// A backslash stays if it escapes nothing.
bool ShellReader::read_escape_in_quotes() {
  if (at_ + 1 == text_.size()) return fail(ShellFault::unclosed);
  const char c = peek(1);
  at_ += 2;
  if (c == '\n') return fail(ShellFault::unknown);
  if (!std::string_view("$`\"\\").contains(c)) append('\\');
  append(c);
  return true;
}

bool ShellReader::read_dollar(ShellWord& word, Quoted quoted) {
  const char c = peek(1);
  // Old arithmetic syntax.
  if (c == '[') return fail(ShellFault::unknown);
  if (quoted == Quoted::no && c == '\'') {
    word.is_plain = false;
    reading_.line.syntax.dialect = true;
    return read_ansi_quoted();
  }
  if (quoted == Quoted::no && c == '"') {
    word.is_plain = false;
    reading_.line.syntax.dialect = true;
    ++at_;
    return read_double_quoted(word);
  }
  const bool is_variable = is_name(c) || is_special_parameter(c) || c == '{';
  if (!is_variable && c != '(') {
    append('$');
    ++at_;
    return true;
  }
  word.is_plain = false;
  expand(word);
  if (starts_with("$((")) return read_arithmetic();
  if (c == '(') return read_substitution(2);
  reading_.line.syntax.variables = true;
  if (c == '{') return read_braced_variable();
  at_ += 2;
  while (is_name(c) && !is_digit(c) && is_name(peek()))
    ++at_;
  return true;
}

/// `$'…'`, which `dash` reads as a dollar and `'…'`: with a quote after a backslash, it would end
/// elsewhere.
bool ShellReader::read_ansi_quoted() {
  at_ += 2;
  while (!at_end()) {
    const char c = peek();
    if (c == '\'') {
      ++at_;
      return true;
    }
    if (c == '\\') {
      if (!read_ansi_escape()) return false;
      continue;
    }
    append(c);
    ++at_;
  }
  return fail(ShellFault::unclosed);
}

bool ShellReader::read_ansi_escape() {
  constexpr std::string_view kLetters = "nt\\\"?";
  constexpr std::string_view kMeanings = "\n\t\\\"?";
  const char c = peek(1);
  at_ += 2;
  if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
    append(kMeanings[at]);
    return true;
  }
  const bool is_octal = c >= '0' && c <= '7';
  if (!is_octal && c != 'x' && c != 'u' && c != 'U') return fail(ShellFault::unknown);
  const std::size_t digits_max = is_octal ? 2 : c == 'x' ? 2 : c == 'u' ? 4 : 8;
  std::uint32_t code = is_octal ? hex_value(c) : 0;
  std::size_t digits = 0;
  for (; digits < digits_max; ++digits, ++at_) {
    const bool is_digit_here = is_octal ? peek() >= '0' && peek() <= '7' : is_hex(peek());
    if (!is_digit_here) break;
    code = code * (is_octal ? 8 : 16) + hex_value(peek());
  }
  if (!is_octal && digits == 0) return fail(ShellFault::unknown);
  return append_code(code);
}

/// Only ASCII: shells distinguish bytes and characters above it differently.
bool ShellReader::append_code(std::uint32_t code) {
  const bool is_blank = code == '\t' || code == '\n';
  if (!is_blank && (code < 0x20 || code > 0x7e)) return fail(ShellFault::bytes);
  append(static_cast<char>(code));
  return true;
}

bool ShellReader::read_arithmetic() {
  reading_.line.syntax.variables = true;
  at_ += 3;
  std::size_t open = 2;
  while (!at_end() && open > 0) {
    const char c = peek();
    if (!is_plain_in_arithmetic(c)) return fail(ShellFault::unknown);
    if (c == '(') ++open;
    if (c == ')') --open;
    // `$((a) | b)` is a substitution.
    if (open == 1 && !starts_with("))")) return fail(ShellFault::unknown);
    ++at_;
  }
  return open == 0 || fail(ShellFault::unclosed);
}

bool ShellReader::read_braced_variable() {
  at_ += 2;
  const std::size_t begin = at_;
  while (is_plain_in_braces(peek())) {
    // After another colon, bash reads arithmetic.
    if (peek() == ':' && !std::string_view("-+?").contains(peek(1))) break;
    ++at_;
  }
  if (at_end()) return fail(ShellFault::unclosed);
  if (peek() != '}' || at_ == begin) return fail(ShellFault::unknown);
  ++at_;
  return true;
}

bool ShellReader::read_substitution(std::size_t mark_size) {
  reading_.line.syntax.substitution = true;
  at_ += mark_size;
  return read_list(End::parenthesis);
}

/// The text between backquotes is parsed as a separate text, after one backslash is removed before
/// each backquote, dollar and backslash.
bool ShellReader::read_backquoted(Quoted quoted) {
  reading_.line.syntax.substitution = true;
  if (here_document_) return fail(ShellFault::unknown);
  ++at_;
  std::size_t end = at_;
  while (end < text_.size() && text_[end] != '`')
    end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size()) return fail(ShellFault::unclosed);
  char* inside = static_cast<char*>(reading_.memory.allocate(end - at_ + 1, 1));
  std::size_t size = 0;
  const std::string_view hidden = quoted == Quoted::yes ? "$`\\\"" : "$`\\";
  for (; at_ < end; ++at_) {
    // Shells remove it before or after they search for quotes.
    if (starts_with("\\\n")) return fail(ShellFault::unknown);
    if (peek() == '\\' && hidden.contains(peek(1))) ++at_;
    inside[size] = peek();
    ++size;
  }
  ++at_;
  return ShellReader(std::string_view(inside, size), reading_).read();
}

}  // namespace bartizan
