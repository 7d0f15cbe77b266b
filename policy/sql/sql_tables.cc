#include "policy/sql/sql_reader.h"

/// The tables of a query: joins, parentheses, functions that return rows.

namespace bartizan {

bool SqlReader::from() {
  do {
    if (!joined_table()) return false;
  } while (take(SqlTokenKind::comma));
  return true;
}

bool SqlReader::joined_table() {
  return table_primary() && joined_rest();
}

/// Conditions may follow several joins.
bool SqlReader::joined_rest() {
  using enum SqlWord;
  while (true) {
    if (take(on)) {
      if (!expression()) return false;
    } else if (take(using_)) {
      if (!is(SqlTokenKind::open)) return unexpected();
      if (!column_list() || !alias()) return false;
    } else if (is_any({SqlWord::join, inner, left, right, full, cross, outer, natural,
                       straight_join})) {
      if (!join_words() || !table_primary()) return false;
    } else {
      return true;
    }
  }
}

bool SqlReader::join_words() {
  using enum SqlWord;
  while (is_any({inner, left, right, full, cross, outer, natural}))
    advance();
  return take(SqlWord::join) || expect(straight_join);
}

bool SqlReader::table_primary() {
  if (is(SqlWord::lateral)) return lateral();
  if (is(SqlTokenKind::open)) {
    const Group group = table_group();
    return group != Group::none && table_alias(group);
  }
  // In other dialects `only users` is a table `only` with an alias.
  if (has(SqlDialect::postgres) || has(SqlDialect::ansi)) take(SqlWord::only);
  return table_or_function();
}

/// `LATERAL` before a query or a function. SQLite and MariaDB read `lateral users` as a table
/// `lateral` with an alias, so before a table it is refused in all dialects.
bool SqlReader::lateral() {
  if (has(SqlDialect::sqlite)) return unexpected();
  advance();
  if (is(SqlTokenKind::open)) return table_primary();
  if (has(SqlDialect::mysql)) return unexpected();
  const auto name = name_chain();
  if (!name) return false;
  return is(SqlTokenKind::open) ? function_rows(*name) : unexpected();
}

/// A query, or joined tables, in parentheses.
SqlReader::Group SqlReader::table_group() {
  return group({.first = &SqlReader::joined_table,
                .rest = &SqlReader::tables_behind,
                .more = &SqlReader::from});
}

bool SqlReader::tables_behind(Group inside) {
  return table_alias(inside) && joined_rest();
}

bool SqlReader::table_or_function() {
  const auto name = name_chain();
  if (!name) return false;
  if (!is(SqlTokenKind::open)) return table(*name) && table_alias(Group::list);
  return function_rows(*name);
}

bool SqlReader::function_rows(std::string_view name) {
  if (!call(name)) return false;
  if (is(SqlWord::with)) {
    advance();
    if (!expect_plain("ordinality")) return false;
  }
  return table_alias(Group::query);
}

/// A table, unless the name is certainly that of a definition in scope.
bool SqlReader::table(std::string_view name) {
  if (definitions_.empty()) return use(SqlUse::table, name);
  const auto read = read_sql_name(name, dialect_);
  if (!read) return use(SqlUse::table, name);
  for (std::size_t i = definitions_.size(); i > 0 && read->size == 1; --i) {
    const Definition& definition = definitions_[i - 1];
    const std::string_view text(definition.begin, definition.size);
    const auto defined = read_sql_name(text, dialect_);
    if (!defined) continue;
    const bool may_be = defined->part(0).lower() == read->part(0).lower();
    if (definition.is_open && definition.may_recurse && may_be) {
      return use(SqlUse::recursive_table, name);
    }
    const bool is_it = is_same_name(defined->part(0), read->part(0), dialect_);
    if (!definition.is_open && is_it) return use_definition();
  }
  return use(SqlUse::table, name);
}

/// A lookup of a definition costs more than the few bytes of its name.
bool SqlReader::use_definition() {
  ++definition_uses_;
  return definition_uses_ <= limits::sql_names_max || refuse(SqlRefusal::too_large);
}

bool SqlReader::table_alias(Group group) {
  const bool has_alias = is_alias();
  if (!alias()) return false;
  // If a dialect has no list of columns here, its form means something else.
  const bool may_have_columns = has(SqlDialect::postgres) || has(SqlDialect::ansi) ||
                                (has(SqlDialect::mysql) && group == Group::query);
  if (!has_alias || !may_have_columns || !is(SqlTokenKind::open)) return true;
  return column_list();
}

/// `(a, b)`, or `(a integer, b text)` for the rows of a function.
bool SqlReader::column_list() {
  advance();
  do {
    if (!is_name()) return unexpected();
    advance();
    const bool has_type = !is(SqlTokenKind::comma) && !is(SqlTokenKind::close);
    if (has_type && !type()) return false;
  } while (take(SqlTokenKind::comma));
  return expect(SqlTokenKind::close);
}

}  // namespace bartizan
