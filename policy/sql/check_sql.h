#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/sql/sql_names.h"
#include "policy/sql/sql_statement.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// Which statements may be given to a server. What is not named is refused.
struct SqlRules {
  SqlDialect dialect = SqlDialect::ansi;
  std::vector<SqlClass> statements = {};
  /// A pattern with `*` lets no module through that passes for a table (`is_risky_table`).
  std::vector<SqlNamePattern> tables = {};
  std::vector<SqlNamePattern> deny_tables = {};  ///< Even where `tables` has them.
  /// Nothing: those that only compute (`is_plain_function`). A pattern with `*` lets no risky
  /// function through (`is_risky_function`), its whole name does.
  std::optional<std::vector<SqlNamePattern>> functions = {};
  std::vector<SqlNamePattern> deny_functions = {};
  bool allow_comments = false;
  /// Programs that are handed a statement as an argument take `-` for a flag and `.` for a command,
  /// some of them behind blanks too.
  bool begins_with_letter = false;
};

/// Whether a server may be given a statement, from its text alone: nothing where it may.
///
/// A name passes where every reader would take it for one that is allowed, and is denied where it
/// could be one that is denied: `deny_tables` ignores case, quotes, and the schema where either
/// side has none, and beside it a name with characters outside of ASCII must be in `tables` itself.
/// What the database makes of a name (views, search paths, functions that a type calls) is not
/// known here: who may read what is the database's to say first.
///
/// Cost:   that of `read_sql`, and one step for each name and pattern. No memory.
/// Source: CWE-89; CWE-77.
std::optional<SqlRefusal> judge_sql(std::string_view text, const SqlRules& rules,
                                    StepBudget& steps);

/// The rules of a form. A pattern that is none lets nothing through, and denies everything where it
/// denies.
SqlRules compile_sql_rules(const SqlForm& form);

/// The stable code: `sql_table`.
std::string_view text(SqlRefusal refusal);

}  // namespace bartizan
