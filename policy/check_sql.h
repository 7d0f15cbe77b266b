#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/sql_names.h"
#include "policy/sql_statement.h"

namespace bartizan {

/// What a value may begin with.
enum class SqlFirstByte : std::uint8_t {
  any,
  /// A letter, at once. Programs that are handed a statement as an argument take `-` for a flag and
  /// `.` for a command, some of them behind blanks too.
  keyword,
};

enum class SqlComments : std::uint8_t { refuse, allow };

/// Which statements may be given to a server. What is not named is refused.
struct SqlRules {
  SqlDialect dialect = SqlDialect::ansi;
  std::vector<SqlClass> statements = {};
  std::vector<SqlNamePattern> tables = {};
  std::vector<SqlNamePattern> deny_tables = {};  ///< Even where `tables` has them.
  /// Nothing: those that only compute (`is_plain_function`). A pattern with `*` lets no risky
  /// function through (`is_risky_function`), its whole name does.
  std::optional<std::vector<SqlNamePattern>> functions = {};
  std::vector<SqlNamePattern> deny_functions = {};
  SqlComments comments = SqlComments::refuse;
  SqlFirstByte first_byte = SqlFirstByte::any;
};

/// Whether a server may be given a statement, from its text alone: nothing where it may.
///
/// A name passes where every reader would take it for one that is allowed, and is denied where it
/// could be one that is denied: `deny_tables` ignores case, quotes, and the schema where either
/// side has none, and beside it a name with characters outside of ASCII must be in `tables` itself.
/// What the database makes of a name (views, search paths, functions that a type calls) is not
/// known here: who may read what is the database's to say first.
///
/// Cost:   that of `read_sql`, and one comparison for each name and pattern. No memory.
/// Source: CWE-89; CWE-77.
std::optional<SqlRefusal> judge_sql(std::string_view text, const SqlRules& rules);

/// The stable code: `sql_table`.
std::string_view text(SqlRefusal refusal);

}  // namespace bartizan
