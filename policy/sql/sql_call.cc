#include "policy/sql/sql_reader.h"

/// Function calls: arguments, and windows or filters after them.

namespace bartizan {

bool SqlReader::call(std::string_view name) {
  if (depth_ == limits::sql_depth_max) return refuse(SqlRefusal::too_large);
  ++depth_;
  if (!use(SqlUse::function, name)) return false;
  advance();
  if (!is(SqlTokenKind::close) && !call_arguments()) return false;
  if (!expect(SqlTokenKind::close)) return false;
  --depth_;
  return call_suffix();
}

/// Arguments, with the keywords of standard functions between them. No table can follow this
/// `FROM`, as no `SELECT` precedes it.
bool SqlReader::call_arguments() {
  using enum SqlWord;
  if (is_operation("*")) {
    advance();
    return true;
  }
  if (is_query_start()) return query();
  if (!take(distinct) && !take(all) && !take(trailing) && !take(leading)) take(both);
  do {
    take(variadic);
    take(SqlWord::from);
    if (!expression()) return false;
    if (take(as) && !type()) return false;
    while (is_any({SqlWord::from, for_, using_, placing})) {
      advance();
      if (!expression()) return false;
    }
  } while (take(SqlTokenKind::comma));
  if (take(order) && (!expect(by) || !order_list())) return false;
  return !take(separator) || expect(SqlTokenKind::string);
}

/// `FILTER (WHERE …)`, `WITHIN GROUP (ORDER BY …)`, `OVER (…)`
bool SqlReader::call_suffix() {
  using enum SqlWord;
  if (take(within)) {
    if (!expect(SqlWord::group) || !expect(SqlTokenKind::open) || !expect(order)) return false;
    if (!expect(by) || !order_list() || !expect(SqlTokenKind::close)) return false;
  }
  if (take(filter)) {
    if (!expect(SqlTokenKind::open) || !expect(where)) return false;
    if (!expression() || !expect(SqlTokenKind::close)) return false;
  }
  if (take(ignore) || take(respect)) {
    if (!expect(nulls)) return false;
  }
  if (!take(over)) return true;
  if (is(SqlTokenKind::open)) return window_definition();
  if (!is_name()) return unexpected();
  advance();
  return true;
}

bool SqlReader::window_definition() {
  using enum SqlWord;
  if (!expect(SqlTokenKind::open)) return false;
  if (is(SqlTokenKind::quoted_name) || is(none)) advance();
  if (take(partition) && (!expect(by) || !expression_list())) return false;
  if (take(order) && (!expect(by) || !order_list())) return false;
  if (is_any({rows, range, groups}) && !window_frame()) return false;
  return expect(SqlTokenKind::close);
}

/// Only words and values, so that nothing can hide in it.
bool SqlReader::window_frame() {
  using enum SqlTokenKind;
  while (is(word) || is(number) || is(string) || is(parameter))
    advance();
  return true;
}

}  // namespace bartizan
