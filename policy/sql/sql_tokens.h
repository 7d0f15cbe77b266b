#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/config.h"

namespace bartizan {

enum class SqlTokenKind : std::uint8_t {
  end,
  word,         ///< Unquoted: a name or a word of the grammar.
  quoted_name,  ///< With its quotes.
  string,       ///< With its quotes and its prefix.
  number,
  parameter,        ///< `?`, `$1`, `:name`, `@name`.
  system_variable,  ///< `@@name` of MySQL.
  operation,        ///< A run of operator characters.
  cast,             ///< `::`
  colon,
  comma,
  dot,
  semicolon,
  open,
  close,
  open_bracket,
  close_bracket,
  unknown,  ///< Not a token of the dialect, or an unfinished one.
};

struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::end;
  std::string_view text = {};  ///< A part of the statement.
};

/// Splits a statement into tokens. Comments and blanks are skipped.
///
/// A spelling is `unknown` if servers read it differently, by their settings or versions. This is
/// the case for a quote after an odd number of backslashes, comments that are executed, and a digit
/// before a letter. It is also the case for `--` without a blank in MySQL, and for names by code
/// points (`U&"…"`).
///
/// Input:  valid UTF-8 without NUL. The connection to the database must use UTF-8.
/// Source: SQLite "SQL As Understood", tokenize.c's classes; PostgreSQL manual §4.1; MySQL manual
///         §9.1, §9.2, §9.7; ISO 9075-2 §5.
class SqlLexer {
 public:
  SqlLexer(std::string_view text, SqlDialect dialect) : text_(text), dialect_(dialect) {}

  /// Returns the next token; `end` after the last, on every call. The tokens after an `unknown` one
  /// are meaningless.
  SqlToken next();
  /// Whether there was a comment before a returned token.
  bool has_comment() const { return has_comment_; }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool skip_blanks();
  bool skip_line_comment();
  bool skip_block_comment();
  bool is_line_comment() const;

  SqlToken take(SqlTokenKind kind, std::size_t size);
  SqlToken take_word();
  SqlToken take_string(std::size_t prefix);
  SqlToken take_quoted(SqlTokenKind kind, std::size_t prefix);
  SqlToken take_escaped_string(std::size_t prefix);
  SqlToken take_bracketed_name();
  SqlToken take_dollar();
  SqlToken take_number();
  SqlToken take_question_mark();
  SqlToken take_variable();
  SqlToken take_colon();
  SqlToken take_operation();
  SqlToken take_prefixed();
  std::size_t name_size(std::size_t from) const;

  std::string_view text_;
  std::size_t at_ = 0;
  SqlDialect dialect_;
  bool has_comment_ = false;
};

}  // namespace bartizan
