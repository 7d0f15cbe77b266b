#include "policy/sql/sql_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "schemas/base/ascii.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool is_name_start(char c) {
  return is_letter(c) || c == '_';
}

constexpr std::array<bool, 256> kNameBytes = [] {
  std::array<bool, 256> bytes{};
  for (unsigned c = 0; c < 128; ++c) {
    const char letter = static_cast<char>(c);
    bytes[c] = is_letter(letter) || is_digit(letter) || letter == '_' || letter == '$';
  }
  return bytes;
}();

bool is_name_byte(char c) {
  return kNameBytes[static_cast<unsigned char>(c)];
}

/// The size of a character in an unquoted name, or 0. Outside of ASCII only letters, digits and
/// their marks are allowed: characters that look like a blank or a quote are not.
std::size_t name_character_size(std::string_view text) {
  if (static_cast<unsigned char>(text.front()) < 0x80) return 0;
  const Utf8Character character = read_utf8(text);
  const auto value = static_cast<UChar32>(character.value);
  return u_isalnum(value) != 0 || u_charType(value) == U_NON_SPACING_MARK ? character.size : 0;
}

/// Whether a quote at `at` is after an odd number of backslashes. Some settings make it part of the
/// text, others its end.
bool is_escaped(std::string_view text, std::size_t at) {
  const std::size_t last = at == 0 ? std::string_view::npos : text.find_last_not_of('\\', at - 1);
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  return (at - begin) % 2 == 1;
}

bool is_prefix(char c, std::string_view letters) {
  return letters.contains(lower_case(c));
}

}  // namespace

SqlToken SqlLexer::take(SqlTokenKind kind, std::size_t size) {
  SqlToken token{kind, text_.substr(at_, size)};
  at_ += token.text.size();
  return token;
}

SqlToken SqlLexer::next() {
  using enum SqlTokenKind;
  if (!skip_blanks()) return take(unknown, text_.size());
  if (at_ == text_.size()) return {};
  const char c = peek();
  if (is_name_start(c)) return take_prefixed();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
  switch (c) {
    case ',':
      return take(comma, 1);
    case '.':
      return take(dot, 1);
    case '(':
      return take(open, 1);
    case ')':
      return take(close, 1);
    case ';':
      return take(semicolon, 1);
    case ']':
      return take(close_bracket, 1);
    case ':':
      return take_colon();
    case '\'':
      return take_string(0);
    case '"':
      return take_quoted(dialect_ == SqlDialect::mysql ? string : quoted_name, 0);
    case '`':
      if (dialect_ == SqlDialect::mysql || dialect_ == SqlDialect::sqlite) {
        return take_quoted(quoted_name, 0);
      }
      return take(unknown, 1);
    case '[':
      if (dialect_ == SqlDialect::sqlite) return take_bracketed_name();
      return take(dialect_ == SqlDialect::postgres ? open_bracket : unknown, 1);
    case '$':
      return take_dollar();
    case '@':
      return take_variable();
    case '?':
      if (dialect_ == SqlDialect::postgres) return take_operation();
      return take_question_mark();
    default:
      return static_cast<unsigned char>(c) < 0x80 ? take_operation() : take_word();
  }
}

// --- Between tokens -----------------------------------------------------------------------------

/// False if a comment is not a plain one.
bool SqlLexer::skip_blanks() {
  while (true) {
    while (at_ < text_.size() && is_blank(text_[at_]))
      ++at_;
    if (is_line_comment()) {
      if (!skip_line_comment()) return false;
    } else if (peek() == '/' && peek(1) == '*') {
      if (!skip_block_comment()) return false;
    } else {
      return true;
    }
    has_comment_ = true;
  }
}

bool SqlLexer::is_line_comment() const {
  if (peek() == '#') return dialect_ == SqlDialect::mysql;
  return peek() == '-' && peek(1) == '-';
}

/// A lone carriage return ends the line for some parsers only.
bool SqlLexer::skip_line_comment() {
  const bool needs_blank = dialect_ == SqlDialect::mysql && peek() == '-';
  if (needs_blank && at_ + 2 < text_.size() && !is_blank(text_[at_ + 2])) return false;
  const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
  if (end < text_.size() && text_[end] == '\r' && !text_.substr(end).starts_with("\r\n")) {
    return false;
  }
  at_ = end;
  return true;
}

/// Comments that MySQL and MariaDB execute are refused. Only PostgreSQL is known to nest comments.
bool SqlLexer::skip_block_comment() {
  const bool is_plain = dialect_ == SqlDialect::postgres || dialect_ == SqlDialect::sqlite;
  if (!is_plain && (peek(2) == '!' || peek(2) == '+' || (peek(2) == 'M' && peek(3) == '!'))) {
    return false;
  }
  std::size_t depth = 1;
  for (at_ += 2; depth > 0; at_ += 2) {
    at_ = text_.find_first_of("*/", at_);
    if (at_ == std::string_view::npos) {
      at_ = text_.size();
      return false;
    }
    if (peek() == '*' && peek(1) == '/') {
      --depth;
    } else if (peek() == '/' && peek(1) == '*') {
      if (dialect_ != SqlDialect::postgres) return false;
      ++depth;
    } else {
      --at_;
    }
  }
  return true;
}

// --- Names --------------------------------------------------------------------------------------

std::size_t SqlLexer::name_size(std::size_t from) const {
  std::size_t end = from;
  while (end < text_.size()) {
    const std::size_t size = is_name_byte(text_[end]) ? 1 : name_character_size(text_.substr(end));
    if (size == 0) break;
    end += size;
  }
  return end - from;
}

SqlToken SqlLexer::take_word() {
  const std::size_t size = name_size(at_);
  if (size == 0) return take(SqlTokenKind::unknown, 1);
  return take(SqlTokenKind::word, size);
}

/// A name, or a string with a letter before it.
SqlToken SqlLexer::take_prefixed() {
  const char c = peek();
  if (peek(1) == '\'') {
    if (is_prefix(c, "e") && dialect_ == SqlDialect::postgres) return take_escaped_string(1);
    if (is_prefix(c, "bxn")) return take_string(1);
    return take(SqlTokenKind::unknown, 2);
  }
  const bool is_by_code_points =
      is_prefix(c, "u") && peek(1) == '&' && (peek(2) == '\'' || peek(2) == '"');
  if (is_by_code_points && dialect_ != SqlDialect::sqlite && dialect_ != SqlDialect::mysql) {
    return take(SqlTokenKind::unknown, 3);
  }
  return take_word();
}

SqlToken SqlLexer::take_bracketed_name() {
  const std::size_t end = text_.find(']', at_);
  if (end == std::string_view::npos || end == at_ + 1) return take(SqlTokenKind::unknown, 1);
  return take(SqlTokenKind::quoted_name, end + 1 - at_);
}

// --- Strings ------------------------------------------------------------------------------------

SqlToken SqlLexer::take_string(std::size_t prefix) {
  return take_quoted(SqlTokenKind::string, prefix);
}

/// A quote inside is doubled.
SqlToken SqlLexer::take_quoted(SqlTokenKind kind, std::size_t prefix) {
  const char quote = peek(prefix);
  const std::size_t begin = at_ + prefix + 1;
  const bool is_ansi = dialect_ == SqlDialect::ansi;
  const bool has_escapes =
      quote != '`' && dialect_ != SqlDialect::sqlite && (is_ansi || kind == SqlTokenKind::string);
  // Three quotes begin another kind of string in some databases.
  const bool is_triple = is_ansi && peek(prefix + 1) == quote && peek(prefix + 2) == quote;
  if (is_triple) return take(SqlTokenKind::unknown, text_.size());
  std::size_t end = begin;
  while (true) {
    end = text_.find(quote, end);
    if (end == std::string_view::npos) return take(SqlTokenKind::unknown, text_.size());
    if (has_escapes && is_escaped(text_.substr(begin), end - begin)) {
      return take(SqlTokenKind::unknown, text_.size());
    }
    const bool is_doubled = end + 1 < text_.size() && text_[end + 1] == quote;
    if (!is_doubled) break;
    end += 2;
  }
  const bool is_empty_name = kind == SqlTokenKind::quoted_name && end == begin;
  return take(is_empty_name ? SqlTokenKind::unknown : kind, end + 1 - at_);
}

/// `E'…'`: a backslash escapes the next character.
SqlToken SqlLexer::take_escaped_string(std::size_t prefix) {
  std::size_t end = at_ + prefix + 1;
  while (true) {
    end = text_.find_first_of("'\\", end);
    if (end == std::string_view::npos) return take(SqlTokenKind::unknown, text_.size());
    const bool is_pair = text_[end] == '\\' || text_.substr(end).starts_with("''");
    if (!is_pair) return take(SqlTokenKind::string, end + 1 - at_);
    end += 2;
  }
}

/// `$tag$…$tag$` and `$1` in PostgreSQL, `$name` in SQLite.
SqlToken SqlLexer::take_dollar() {
  if (dialect_ == SqlDialect::sqlite) {
    const std::size_t size = name_size(at_ + 1);
    const char behind = peek(1 + size);
    const bool is_plain = size > 0 && behind != '(' && behind != ':';
    return take(is_plain ? SqlTokenKind::parameter : SqlTokenKind::unknown, 1 + size);
  }
  if (dialect_ != SqlDialect::postgres) return take(SqlTokenKind::unknown, 1);
  const std::size_t mark = text_.find('$', at_ + 1);
  const std::string_view name =
      text_.substr(at_ + 1, mark == std::string_view::npos ? mark : mark - at_ - 1);
  if (is_digit(peek(1))) {
    const std::size_t size = name_size(at_ + 1);
    const bool is_number = std::ranges::all_of(text_.substr(at_ + 1, size), is_digit);
    return take(is_number ? SqlTokenKind::parameter : SqlTokenKind::unknown, 1 + size);
  }
  const bool is_tag = mark != std::string_view::npos && std::ranges::all_of(name, [](char c) {
                        return is_name_start(c) || is_digit(c);
                      });
  if (!is_tag) return take(SqlTokenKind::unknown, 1);
  const std::string_view tag = text_.substr(at_, mark + 1 - at_);
  const std::size_t end = text_.find(tag, mark + 1);
  if (end == std::string_view::npos) return take(SqlTokenKind::unknown, text_.size());
  return take(SqlTokenKind::string, end + tag.size() - at_);
}

// --- The rest -----------------------------------------------------------------------------------

/// Digits with a point and an exponent, or hexadecimal ones. With a directly following letter, some
/// databases read one token and others two.
SqlToken SqlLexer::take_number() {
  std::size_t end = at_;
  const auto skip = [&](auto&& is_part) {
    const std::size_t begin = end;
    while (end < text_.size() && is_part(text_[end]))
      ++end;
    return end > begin;
  };
  bool is_number = true;
  if (peek() == '0' && is_prefix(peek(1), "x")) {
    end += 2;
    is_number = skip(is_hex);
  } else {
    skip(is_digit);
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      skip(is_digit);
    }
    if (end < text_.size() && is_prefix(text_[end], "e")) {
      ++end;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      is_number = skip(is_digit);
    }
  }
  const bool is_glued = end < text_.size() && (text_[end] == '.' || name_size(end) > 0 ||
                                               static_cast<unsigned char>(text_[end]) >= 0x80);
  return take(is_number && !is_glued ? SqlTokenKind::number : SqlTokenKind::unknown, end - at_);
}

/// `?` and `?1`
SqlToken SqlLexer::take_question_mark() {
  const std::size_t size = name_size(at_ + 1);
  const bool is_plain = std::ranges::all_of(text_.substr(at_ + 1, size), is_digit);
  return take(is_plain ? SqlTokenKind::parameter : SqlTokenKind::unknown, 1 + size);
}

SqlToken SqlLexer::take_variable() {
  using enum SqlTokenKind;
  if (dialect_ == SqlDialect::postgres) return take_operation();
  if (dialect_ == SqlDialect::ansi) return take(unknown, 1);
  const bool is_system = dialect_ == SqlDialect::mysql && peek(1) == '@';
  const std::size_t begin = is_system ? 2 : 1;
  const std::size_t size = name_size(at_ + begin);
  if (size == 0) return take(unknown, begin);
  return take(is_system ? system_variable : parameter, begin + size);
}

SqlToken SqlLexer::take_colon() {
  using enum SqlTokenKind;
  if (peek(1) == ':') {
    const bool casts = dialect_ == SqlDialect::postgres || dialect_ == SqlDialect::ansi;
    return take(casts && peek(2) != ':' ? cast : unknown, 2);
  }
  if (dialect_ == SqlDialect::postgres) return take(peek(1) == '=' ? unknown : colon, 1);
  const std::size_t size = name_size(at_ + 1);
  return take(size > 0 ? parameter : unknown, 1 + size);
}

/// The longest run of operator characters. A comment may begin inside it.
SqlToken SqlLexer::take_operation() {
  const std::string_view characters =
      dialect_ == SqlDialect::postgres ? "+-*/<>=~!@#%^&|?" : "+-*/<>=~!%^&|";
  std::size_t size = 0;
  while (at_ + size < text_.size() && characters.contains(text_[at_ + size])) {
    const char c = peek(size);
    const char behind = peek(size + 1);
    if (size > 0 && ((c == '-' && behind == '-') || (c == '/' && behind == '*'))) break;
    ++size;
  }
  return take(size == 0 ? SqlTokenKind::unknown : SqlTokenKind::operation,
              std::max<std::size_t>(size, 1));
}

}  // namespace bartizan
