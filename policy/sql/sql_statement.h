#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "config/config.h"
#include "policy/text/bounded_list.h"
#include "schemas/base/limits.h"

namespace bartizan {

/// Why a statement is refused.
enum class SqlRefusal : std::uint8_t {
  malformed,   ///< Not a statement of its dialect, or empty.
  too_large,   ///< Longer, deeper or with more names than the limits.
  first_byte,  ///< Does not begin with a letter.
  several,     ///< More than one statement.
  statement,   ///< A kind of statement that is not allowed, or a part of one that writes or locks.
  comment,
  table,
  function,
  recursive,   ///< A `WITH` that reads itself and is not allowed.
  too_costly,  ///< The comparison of its names with the rules would take too many steps.
};

/// How a statement uses a name.
enum class SqlUse : std::uint8_t {
  table,            ///< Reads it.
  recursive_table,  ///< Reads the `WITH` that is being defined.
  function,         ///< Calls it.
};

/// A use of a name.
struct SqlUsed {
  const char* begin;
  std::uint32_t size;
  SqlUse use;

  /// As the statement spells it, with quotes and the text between the parts.
  std::string_view text() const { return {begin, size}; }
};

/// The effects of one statement.
struct SqlStatement {
  SqlClass kind = SqlClass::select;
  bool has_comment = false;
  /// Every table that is read, without those that `WITH` defines in scope, and every called
  /// function. A name may occur more than once. Lifetime: that of the statement.
  BoundedList<SqlUsed, limits::sql_names_max> used;
};

/// Parses one statement, which may end with one semicolon.
///
/// The grammar has only queries, and everything else is refused. It accepts more than a database
/// does, but it never reads the place of a table as anything else.
///
/// Errors: `malformed`, `too_large`, `several`, `statement`.
/// Cost:   one pass, no memory.
/// Source: SQLite, PostgreSQL 16 and MySQL 8.4 manuals, "SELECT"; ISO 9075-2 §7.
std::expected<SqlStatement, SqlRefusal> read_sql(std::string_view text, SqlDialect dialect);

}  // namespace bartizan
