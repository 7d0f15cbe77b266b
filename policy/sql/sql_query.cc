#include "policy/sql/sql_reader.h"

/// Queries: set operations, `WITH`, and the clauses of `SELECT` except its tables.

namespace bartizan {

bool SqlReader::is_query_start() const {
  using enum SqlWord;
  return is_any({SqlWord::select, SqlWord::with, values, SqlWord::table});
}

/// Whether the token continues a query whose first part was in parentheses.
bool SqlReader::is_query_rest() const {
  using enum SqlWord;
  return is_any({union_, intersect, except, order, SqlWord::limit, offset, SqlWord::fetch});
}

/// Oracle's word for `EXCEPT`.
bool SqlReader::is_minus() const {
  return has(SqlDialect::ansi) && is_plain("minus");
}

bool SqlReader::query() {
  if (depth_ == limits::sql_depth_max) return refuse(SqlRefusal::too_large);
  ++depth_;
  const std::size_t scope = definitions_.size();
  if (is(SqlWord::with) && !with()) return false;
  if (!query_term() || !query_rest()) return false;
  definitions_.shrink(scope);
  --depth_;
  return true;
}

bool SqlReader::query_rest() {
  using enum SqlWord;
  while (is_any({union_, intersect, except}) || is_minus()) {
    advance();
    if (!take(all)) take(distinct);
    if (!query_term()) return false;
  }
  return query_tail();
}

bool SqlReader::query_term() {
  if (is(SqlWord::select)) return select();
  if (take(SqlWord::table)) {
    const auto name = name_chain();
    return name && table(*name);
  }
  if (take(SqlWord::values)) {
    do {
      take(SqlWord::row);
      if (!is(SqlTokenKind::open)) return unexpected();
      if (grouped() == Group::none) return false;
    } while (take(SqlTokenKind::comma));
    return true;
  }
  if (take(SqlTokenKind::open)) return query() && expect(SqlTokenKind::close);
  // `WITH … DELETE`, and other statements after a definition or set operation.
  for (const std::string_view word : {"insert", "update", "delete", "merge", "replace"}) {
    if (is_plain(word)) return refuse(SqlRefusal::statement);
  }
  return unexpected();
}

/// `ORDER BY`, `LIMIT` and similar clauses, in any order, as databases differ.
bool SqlReader::query_tail() {
  while (true) {
    if (take(SqlWord::order)) {
      if (!expect(SqlWord::by) || !order_list()) return false;
    } else if (take(SqlWord::limit)) {
      if (!limit()) return false;
    } else if (take(SqlWord::offset)) {
      if (!expression()) return false;
      if (!take(SqlWord::row)) take(SqlWord::rows);
    } else if (take(SqlWord::fetch)) {
      if (!fetch()) return false;
    } else {
      return true;
    }
  }
}

bool SqlReader::limit() {
  if (take(SqlWord::all)) return true;
  if (!expression()) return false;
  return !take(SqlTokenKind::comma) || expression();
}

/// `FETCH FIRST 10 ROWS ONLY`
bool SqlReader::fetch() {
  if (!take_plain("first") && !expect_plain("next")) return false;
  if (!is(SqlWord::row) && !is(SqlWord::rows) && !operand()) return false;
  if (!take(SqlWord::row) && !expect(SqlWord::rows)) return false;
  if (take(SqlWord::with)) return expect_plain("ties");
  return expect(SqlWord::only);
}

// --- WITH ---------------------------------------------------------------------------------------

/// The scope of a definition differs between databases. If a name is not certainly in scope, it
/// counts as that of a table.
bool SqlReader::with() {
  advance();
  const bool says_recursive = take(SqlWord::recursive);
  const bool may_recurse = says_recursive || has(SqlDialect::sqlite) || has(SqlDialect::ansi);
  const std::size_t first_use = statement_.used.size();
  do {
    const SqlToken name = now_;
    if (!is_name()) return unexpected();
    advance();
    if (!define(name, may_recurse ? first_use : statement_.used.size())) return false;
    const std::size_t at = definitions_.size() - 1;
    definitions_[at].may_recurse = may_recurse;
    if (is(SqlTokenKind::open) && !column_list()) return false;
    if (!expect(SqlWord::as)) return false;
    take(SqlWord::not_);
    take(SqlWord::materialized);
    if (!expect(SqlTokenKind::open) || !query() || !expect(SqlTokenKind::close)) return false;
    definitions_[at].is_open = false;
  } while (take(SqlTokenKind::comma));
  return true;
}

/// An earlier use of that name, in the definitions before it, may have meant this one.
bool SqlReader::define(const SqlToken& name, std::size_t first_use) {
  const auto part = SqlNamePart::read(name, dialect_);
  if (!part) return refuse(SqlRefusal::too_large);
  for (std::size_t i = first_use; i < statement_.used.size(); ++i) {
    SqlUsed& used = statement_.used[i];
    const auto read = read_sql_name(used.text(), dialect_);
    const bool is_same = read && read->size == 1 && read->part(0).lower() == part->lower();
    if (is_same && used.use == SqlUse::table) used.use = SqlUse::recursive_table;
  }
  const Definition definition{name.text.data(), static_cast<std::uint32_t>(name.text.size()),
                              name.kind == SqlTokenKind::quoted_name, true, false};
  return definitions_.push_back(definition) || refuse(SqlRefusal::too_large);
}

// --- SELECT -------------------------------------------------------------------------------------

bool SqlReader::select() {
  advance();
  if (!select_modifiers()) return false;
  do {
    if (!select_item()) return false;
  } while (take(SqlTokenKind::comma));
  if (take(SqlWord::from) && !from()) return false;
  if (take(SqlWord::where) && !expression()) return false;
  if (take(SqlWord::group) && !group_by()) return false;
  if (take(SqlWord::having) && !expression()) return false;
  if (is(SqlWord::window) && !windows()) return false;
  return true;
}

bool SqlReader::select_modifiers() {
  using enum SqlWord;
  if (take(distinct)) {
    if (!take(on)) return true;
    return is(SqlTokenKind::open) ? grouped() != Group::none : unexpected();
  }
  if (!take(all)) take(distinctrow);
  if (has(SqlDialect::ansi) && is_plain("top") && ahead().kind == SqlTokenKind::number) {
    advance();
    advance();
  }
  return true;
}

bool SqlReader::select_item() {
  if (is_operation("*")) {
    advance();
    return true;
  }
  return expression() && alias();
}

/// Without `AS` an alias is not a keyword. Some databases need no semicolon between statements, and
/// read `SELECT 1 SHUTDOWN` as two.
bool SqlReader::is_alias() const {
  const bool takes_strings = has(SqlDialect::mysql) || has(SqlDialect::sqlite);
  if (is_minus() || (has(SqlDialect::ansi) && is_command_word())) return false;
  return is(SqlWord::as) || is(SqlTokenKind::quoted_name) || is(SqlWord::none) ||
         (takes_strings && is(SqlTokenKind::string));
}

/// An optional name after an expression or table.
bool SqlReader::alias() {
  if (!is_alias()) return true;
  if (take(SqlWord::as) && !is_name() && !is_alias()) return unexpected();
  advance();
  return true;
}

bool SqlReader::group_by() {
  using enum SqlWord;
  if (!expect(by)) return false;
  if (!take(all)) take(distinct);
  do {
    const bool is_sets = is(grouping) && ahead().kind == SqlTokenKind::word;
    if (is_sets) {
      advance();
      if (!expect_plain("sets")) return false;
    } else if (is(rollup) || is(cube)) {
      advance();
    } else if (!is(SqlTokenKind::open)) {
      if (!expression()) return false;
      continue;
    }
    if (!is(SqlTokenKind::open)) return unexpected();
    if (grouped() == Group::none || !expression_rest()) return false;
  } while (take(SqlTokenKind::comma));
  if (is(SqlWord::with) && word_ahead() == rollup) {
    advance();
    advance();
  }
  return true;
}

/// `WINDOW name AS (…)`
bool SqlReader::windows() {
  advance();
  do {
    if (!is_name()) return unexpected();
    advance();
    if (!expect(SqlWord::as) || !window_definition()) return false;
  } while (take(SqlTokenKind::comma));
  return true;
}

}  // namespace bartizan
