#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "policy/sql/sql_names.h"
#include "policy/sql/sql_statement.h"
#include "policy/sql/sql_tokens.h"
#include "policy/sql/sql_words.h"
#include "policy/text/bounded_list.h"

namespace bartizan {

/// Parses one statement by recursive descent; see `read_sql`. Each function parses the construct in
/// its name from the current token, and returns whether it was there. If not, the function has
/// stored the reason, and parsing ends.
class SqlReader {
 public:
  SqlReader(std::string_view text, SqlDialect dialect) : lexer_(text, dialect), dialect_(dialect) {}

  std::expected<SqlStatement, SqlRefusal> read();

 private:
  /// The content of parentheses.
  enum class Group : std::uint8_t { none, query, list };
  enum class Operator : std::uint8_t { none, binary, complete, failed };

  /// A name that `WITH` defines.
  struct Definition {
    const char* begin;
    std::uint32_t size;
    bool is_quoted;
    bool is_open;      ///< Its query is being parsed.
    bool may_recurse;  ///< It and later ones are visible in that query.
  };
  static constexpr std::size_t kDefinitionsMax = 32;

  // Tokens.
  void advance();
  SqlToken ahead() const;
  SqlWord word_ahead() const;
  bool is(SqlTokenKind kind) const { return now_.kind == kind; }
  bool is(SqlWord word) const { return is(SqlTokenKind::word) && word_ == word; }
  bool is_operation(std::string_view text) const;
  bool is_plain(std::string_view lower) const;
  bool is_command_word() const;
  bool is_any(std::initializer_list<SqlWord> words) const;
  bool is_name() const;
  bool has(SqlDialect dialect) const { return dialect_ == dialect; }
  bool take(SqlTokenKind kind);
  bool take(SqlWord word);
  bool take_plain(std::string_view lower);
  bool expect(SqlTokenKind kind);
  bool expect(SqlWord word);
  bool expect_plain(std::string_view lower);
  bool unexpected();
  bool refuse(SqlRefusal refusal);
  bool use(SqlUse use, std::string_view text);
  bool is_later_part(const SqlToken& dot) const;
  std::optional<std::string_view> name_chain();

  // Statements.
  bool statement();
  bool show();
  bool show_of_mysql();
  bool explain();
  bool explain_options();
  bool end_of_statement();

  // Queries.
  bool is_query_start() const;
  bool is_query_rest() const;
  bool is_minus() const;
  bool query();
  bool query_rest();
  bool query_term();
  bool query_tail();
  bool with();
  bool definition(std::size_t first_use);
  bool define(const SqlToken& name, std::size_t first_use);
  bool select();
  bool select_modifiers();
  bool select_item();
  bool group_by();
  bool windows();
  bool limit();
  bool fetch();

  // Tables.
  bool from();
  bool joined_table();
  bool joined_rest();
  bool join_words();
  bool table_primary();
  bool lateral();
  Group table_group();
  bool tables_behind(Group inside);
  bool table_or_function();
  bool function_rows(std::string_view name);
  bool table(std::string_view name);
  bool use_definition();
  bool is_alias() const;
  bool alias();
  bool table_alias(Group group);
  bool column_list();

  // Expressions.
  bool expression();
  bool expression_rest();
  bool expression_list();
  bool order_list();
  bool operand();
  bool word_operand();
  bool name_operand();
  bool call(std::string_view name);
  bool call_arguments();
  bool call_suffix();
  bool case_expression();
  bool cast_expression();
  bool interval_operand();
  bool array_operand();
  bool array_elements();
  bool suffixes();
  bool subscript();
  bool type();
  bool window_definition();
  bool window_frame();
  Group grouped();
  bool expression_behind(Group inside);

  /// The content of parentheses other than a query or a group: its start, the rest after a group,
  /// and the rest after a comma.
  struct GroupContent {
    bool (SqlReader::*first)();
    bool (SqlReader::*rest)(Group inside);
    bool (SqlReader::*more)();
    bool may_be_empty = false;
  };
  Group group(const GroupContent& content);
  Operator binary_operator();
  Operator word_operator();
  Operator in_operator();
  bool is_operator_word() const;
  bool parenthesised();

  SqlLexer lexer_;
  SqlDialect dialect_;
  SqlToken now_;
  SqlWord word_ = SqlWord::none;             ///< Of `now_`, if that is a word.
  SqlTokenKind before_ = SqlTokenKind::end;  ///< Of the token before `now_`.
  std::size_t depth_ = 0;
  std::size_t definition_uses_ = 0;
  std::optional<SqlRefusal> refusal_;
  SqlStatement statement_;
  BoundedList<Definition, kDefinitionsMax> definitions_;
};

}  // namespace bartizan
