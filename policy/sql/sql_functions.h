#pragma once

#include <string_view>

#include "policy/sql/sql_names.h"

namespace bartizan {

/// Whether an unqualified function is known only to compute: from its arguments, the time, chance,
/// or the database's names and version. Examples: `count`, `lower`, `now`. A policy that names no
/// functions allows these. Cost and size of a result are not bounded: `replace` makes 400 MB of two
/// texts of 20 000 characters.
bool is_plain_function(const SqlName& name);

/// Whether a function, by its name, may do more than compute. It reads or writes files, runs SQL or
/// programs, waits, locks, moves sequences, changes settings, or makes texts of any length. Only a
/// policy that names it allows it.
bool is_risky_function(const SqlName& name, SqlDialect dialect);

/// Whether a table, by its name, may be a function or a module that reads more than tables. In
/// SQLite `FROM fsdir WHERE path = '/etc'` calls `fsdir('/etc')`. Only a policy that names it
/// allows it.
bool is_risky_table(const SqlName& name, SqlDialect dialect);

}  // namespace bartizan
