#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/sql/sql_names.h"
#include "policy/sql/sql_statement.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// The allowed statements. Anything that is not named is refused.
struct SqlRules {
  SqlDialect dialect = SqlDialect::ansi;
  std::vector<SqlClass> statements = {};
  /// A pattern with `*` does not match a module that acts as a table (`is_risky_table`).
  std::vector<SqlNamePattern> tables = {};
  std::vector<SqlNamePattern> deny_tables = {};  ///< Takes precedence over `tables`.
  /// Nothing allows the functions that only compute (`is_plain_function`). A pattern with `*` does
  /// not match a risky function (`is_risky_function`); its full name does.
  std::optional<std::vector<SqlNamePattern>> functions = {};
  std::vector<SqlNamePattern> deny_functions = {};
  bool allow_comments = false;
  /// For programs that take a statement as an argument: they read `-` as a flag and `.` as a
  /// command. Some do so after blanks too.
  bool begins_with_letter = false;
};

/// Judges a statement from its text alone. Returns nothing if it is allowed.
///
/// A name passes if every database reads it as an allowed name. It is denied if it could be a
/// denied name. `deny_tables` ignores case, quotes, and the schema if either side has none. With
/// `deny_tables`, a name with characters outside of ASCII passes only if `tables` has it literally.
/// The meaning of a name in the database is unknown here: views, search paths, functions that a
/// type calls. The permissions of the database come first.
///
/// Cost:   that of `read_sql`, and one step for each name and pattern. No memory.
/// Source: CWE-89; CWE-77.
std::optional<SqlRefusal> judge_sql(std::string_view text, const SqlRules& rules,
                                    StepBudget& steps);

/// Compiles the rules of a form. An invalid pattern allows nothing. In a deny list it denies
/// everything.
SqlRules compile_sql_rules(const SqlForm& form);

/// The stable code: `sql_table`.
std::string_view text(SqlRefusal refusal);

}  // namespace bartizan
