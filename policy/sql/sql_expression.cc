#include "policy/sql/sql_reader.h"

#include <algorithm>
#include <array>
#include <span>

#include "schemas/base/ascii.h"

/// Expressions: alternating operands and operators, without precedence, which is irrelevant here.
/// Subqueries and calls matter, and no word may be skipped.

namespace bartizan {
namespace {

/// Types before a string: `DATE '2026-01-31'`, `_utf8mb4'a'`.
constexpr auto kLiteralTypes = std::to_array<std::string_view>(
    {"date", "time",  "timestamp", "timestamptz", "datetime", "text",   "json",  "jsonb",
     "uuid", "inet",  "numeric",   "integer",     "int",      "bigint", "float", "boolean",
     "bool", "point", "_utf8mb4",  "_utf8",       "_latin1",  "_binary"});

constexpr auto kUnits = std::to_array<std::string_view>(
    {"microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year",
     "minute_second", "hour_minute", "hour_second", "day_hour", "day_minute", "day_second",
     "year_month"});

bool is_same(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, lower_case);
}

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_same(text, word); });
}

}  // namespace

bool SqlReader::expression() {
  if (depth_ == limits::sql_depth_max) return refuse(SqlRefusal::too_large);
  ++depth_;
  if (!operand() || !expression_rest()) return false;
  --depth_;
  return true;
}

bool SqlReader::expression_rest() {
  while (true) {
    if (!suffixes()) return false;
    switch (binary_operator()) {
      case Operator::none:
        return true;
      case Operator::failed:
        return false;
      case Operator::complete:
        break;
      case Operator::binary:
        if (!operand()) return false;
    }
  }
}

bool SqlReader::expression_list() {
  do {
    if (!expression()) return false;
  } while (take(SqlTokenKind::comma));
  return true;
}

bool SqlReader::order_list() {
  do {
    if (!expression()) return false;
    if (!take(SqlWord::asc)) take(SqlWord::desc);
    if (take(SqlWord::nulls) && !take_plain("first") && !expect_plain("last")) return false;
  } while (take(SqlTokenKind::comma));
  return true;
}

// --- Operands -----------------------------------------------------------------------------------

bool SqlReader::operand() {
  using enum SqlTokenKind;
  while (is(SqlWord::not_) || (is(operation) && !is_operation("*")) ||
         (has(SqlDialect::mysql) && is(SqlWord::binary)))
    advance();
  switch (now_.kind) {
    case number:
    case string:
    case parameter:
      advance();
      return true;
    case system_variable:
    case quoted_name:
      return name_operand();
    case open:
      return grouped() != Group::none;
    case word:
      return word_operand();
    default:
      return unexpected();
  }
}

bool SqlReader::word_operand() {
  switch (word_) {
    using enum SqlWord;
    case null:
      advance();
      return true;
    case case_:
      return case_expression();
    case SqlWord::cast:
      return cast_expression();
    case exists:
    case any:
    case some:
    case all:
      advance();
      return parenthesised();
    case values:
      if (!has(SqlDialect::mysql)) return unexpected();
      advance();
      return parenthesised();
    case SqlWord::array:
      if (ahead().kind == SqlTokenKind::open_bracket) return array_operand();
      break;
    case SqlWord::interval:
      if (!has(SqlDialect::sqlite)) return interval_operand();
      break;
    default:
      break;
  }
  const bool is_constructor = is(SqlWord::array) || is(SqlWord::row);
  if (is_constructor && ahead().kind == SqlTokenKind::open) {
    advance();
    return parenthesised();
  }
  return is_name() ? name_operand() : unexpected();
}

bool SqlReader::parenthesised() {
  return is(SqlTokenKind::open) ? grouped() != Group::none : unexpected();
}

/// The content of parentheses in the place of an operand: a query, or expressions.
SqlReader::Group SqlReader::grouped() {
  return group({.first = &SqlReader::expression,
                .rest = &SqlReader::expression_behind,
                .more = &SqlReader::expression_list,
                .may_be_empty = true});
}

bool SqlReader::expression_behind(Group /*inside*/) {
  return expression_rest();
}

/// A nested group is that of a query only if nothing but a query follows.
SqlReader::Group SqlReader::group(const GroupContent& content) {
  if (depth_ == limits::sql_depth_max) {
    refuse(SqlRefusal::too_large);
    return Group::none;
  }
  ++depth_;
  advance();
  Group inside = Group::list;
  if (is_query_start()) {
    if (!query()) return Group::none;
    inside = Group::query;
  } else if (is(SqlTokenKind::open)) {
    inside = group(content);
    if (inside == Group::none) return Group::none;
    const bool goes_on = inside == Group::query && is_query_rest();
    if (goes_on && !query_rest()) return Group::none;
    if (!goes_on && !is(SqlTokenKind::close)) {
      if (!(this->*content.rest)(inside)) return Group::none;
      inside = Group::list;
    }
  } else {
    const bool is_empty = content.may_be_empty && is(SqlTokenKind::close);
    if (!is_empty && !(this->*content.first)()) return Group::none;
  }
  if (inside == Group::list && take(SqlTokenKind::comma) && !(this->*content.more)()) {
    return Group::none;
  }
  if (!expect(SqlTokenKind::close)) return Group::none;
  --depth_;
  return inside;
}

/// A column, a call, `t.*`, or a type before a string.
bool SqlReader::name_operand() {
  const SqlToken first = now_;
  SqlToken last = first;
  advance();
  while (is(SqlTokenKind::dot)) {
    const SqlToken dot = now_;
    advance();
    if (is_operation("*")) {
      advance();
      return true;
    }
    if (!is_later_part(dot)) return unexpected();
    last = now_;
    advance();
  }
  const std::string_view name(first.text.data(), last.text.data() + last.text.size());
  if (is(SqlTokenKind::open)) return call(name);
  if (first.kind == SqlTokenKind::system_variable) return use(SqlUse::function, name);
  // In some databases an expression with the form of a column advances a sequence.
  if (is_same(last.text, "nextval")) return use(SqlUse::function, last.text);
  const bool is_typed = is(SqlTokenKind::string) && name == first.text &&
                        first.kind == SqlTokenKind::word && is_one_of(name, kLiteralTypes);
  if (is_typed) advance();
  return true;
}

bool SqlReader::case_expression() {
  advance();
  if (!is(SqlWord::when) && !expression()) return false;
  do {
    if (!expect(SqlWord::when) || !expression()) return false;
    if (!expect(SqlWord::then) || !expression()) return false;
  } while (is(SqlWord::when));
  if (take(SqlWord::else_) && !expression()) return false;
  return expect(SqlWord::end);
}

bool SqlReader::cast_expression() {
  advance();
  return expect(SqlTokenKind::open) && expression() && expect(SqlWord::as) && type() &&
         expect(SqlTokenKind::close);
}

/// `INTERVAL '1 day'`, `INTERVAL 1 DAY`, `INTERVAL '1' DAY TO SECOND`
bool SqlReader::interval_operand() {
  advance();
  if (!expression()) return false;
  const auto is_unit = [&] { return is(SqlTokenKind::word) && is_one_of(now_.text, kUnits); };
  if (!is_unit()) return true;
  advance();
  if (!take_plain("to")) return true;
  if (!is_unit()) return unexpected();
  advance();
  return true;
}

/// `ARRAY[1, 2]`, `ARRAY[[1, 2], [3, 4]]`
bool SqlReader::array_operand() {
  advance();
  return array_elements();
}

bool SqlReader::array_elements() {
  if (depth_ == limits::sql_depth_max) return refuse(SqlRefusal::too_large);
  ++depth_;
  advance();
  while (!is(SqlTokenKind::close_bracket)) {
    const bool is_read = is(SqlTokenKind::open_bracket) ? array_elements() : expression();
    if (!is_read) return false;
    if (!take(SqlTokenKind::comma)) break;
  }
  --depth_;
  return expect(SqlTokenKind::close_bracket);
}

// --- Behind an operand --------------------------------------------------------------------------

bool SqlReader::suffixes() {
  using enum SqlWord;
  while (true) {
    if (take(SqlTokenKind::cast)) {
      if (!type()) return false;
    } else if (is(SqlTokenKind::open_bracket)) {
      if (!subscript()) return false;
    } else if (is(SqlTokenKind::dot) && has(SqlDialect::postgres)) {
      const bool is_part = before_ == SqlTokenKind::close || before_ == SqlTokenKind::close_bracket;
      advance();
      if (!is_part || !(is_name() || is_operation("*"))) return unexpected();
      advance();
    } else if (take(collate)) {
      if (!name_chain()) return false;
    } else if (is(at) && ahead().kind == SqlTokenKind::word) {
      advance();
      if (take_plain("local")) continue;
      if (!expect_plain("time") || !expect_plain("zone") || !operand()) return false;
    } else if (is(not_) && word_ahead() == null) {
      advance();
      advance();
    } else if (!take(isnull) && !take(notnull)) {
      return true;
    }
  }
}

/// `[1]`, `[1:2]`
bool SqlReader::subscript() {
  advance();
  const auto is_bound = [&] {
    return !is(SqlTokenKind::colon) && !is(SqlTokenKind::close_bracket);
  };
  if (is_bound() && !expression()) return false;
  if (take(SqlTokenKind::colon) && is_bound() && !expression()) return false;
  return expect(SqlTokenKind::close_bracket);
}

/// A type, whose parameters are numbers and words.
bool SqlReader::type() {
  using enum SqlTokenKind;
  if (!name_chain()) return false;
  for (const std::string_view word : {"precision", "varying", "integer", "int"}) {
    if (take_plain(word)) break;
  }
  if (take(open)) {
    do {
      if (!is(number) && !is(word)) return unexpected();
      advance();
    } while (take(comma));
    if (!expect(close)) return false;
  }
  const bool has_zone = is(SqlWord::with) || is_plain("without");
  if (has_zone && is_same(ahead().text, "time")) {
    advance();
    if (!expect_plain("time") || !expect_plain("zone")) return false;
  }
  while (take(open_bracket)) {
    take(number);
    if (!expect(close_bracket)) return false;
  }
  return true;
}

// --- Operators ----------------------------------------------------------------------------------

SqlReader::Operator SqlReader::binary_operator() {
  if (take(SqlTokenKind::operation)) return Operator::binary;
  return is(SqlTokenKind::word) ? word_operator() : Operator::none;
}

/// Whether the word is an operator between two operands.
bool SqlReader::is_operator_word() const {
  switch (word_) {
    using enum SqlWord;
    case and_:
    case or_:
    case like:
    case between:
    case escape:
      return true;
    case ilike:
    case overlaps:
      return has(SqlDialect::postgres) || has(SqlDialect::ansi);
    case glob:
    case match:
      return has(SqlDialect::sqlite);
    case regexp:
      return has(SqlDialect::sqlite) || has(SqlDialect::mysql);
    case rlike:
    case div:
    case mod:
    case xor_:
      return has(SqlDialect::mysql);
    default:
      return false;
  }
}

SqlReader::Operator SqlReader::word_operator() {
  using enum SqlWord;
  const bool negates = take(not_);
  if (take(in)) return in_operator();
  if (take(similar)) return expect_plain("to") ? Operator::binary : Operator::failed;
  if (is_operator_word()) {
    advance();
    take_plain("symmetric");
    return Operator::binary;
  }
  if (negates) {
    unexpected();
    return Operator::failed;
  }
  if (!take(SqlWord::is_)) return Operator::none;
  take(not_);
  if (!take(distinct)) return Operator::binary;
  return expect(SqlWord::from) ? Operator::binary : Operator::failed;
}

/// SQLite reads a table, or the rows of a function, that follows `IN` by name.
SqlReader::Operator SqlReader::in_operator() {
  if (!has(SqlDialect::sqlite) || is(SqlTokenKind::open) || is(SqlTokenKind::parameter)) {
    return Operator::binary;
  }
  const auto name = name_chain();
  if (!name) return Operator::failed;
  const bool is_read = is(SqlTokenKind::open) ? call(*name) : table(*name);
  return is_read ? Operator::complete : Operator::failed;
}

}  // namespace bartizan
