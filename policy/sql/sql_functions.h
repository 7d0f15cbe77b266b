#pragma once

#include <string_view>

#include "policy/sql/sql_names.h"

namespace bartizan {

/// Whether a function of that name, unqualified, is known to compute from its arguments, the time,
/// chance, or the names of the database and its version, and to do nothing else: `count`, `lower`,
/// `now`. What a policy that names no functions lets through. Cost and size of a result are not
/// bound: `replace` makes 400 MB of two texts of 20 000 characters.
bool is_plain_function(const SqlName& name);

/// Whether a function may do more than compute, by its name: it reads or writes files, runs SQL or
/// programs, waits, locks, moves sequences, changes settings, or makes texts of any length. Only a
/// policy that names it lets it through.
bool is_risky_function(const SqlName& name, SqlDialect dialect);

/// Whether a table of that name may be a function in disguise, or a module that reads more than
/// tables: in SQLite `FROM fsdir WHERE path = '/etc'` calls `fsdir('/etc')`. Only a policy that
/// names it lets it through.
bool is_risky_table(const SqlName& name, SqlDialect dialect);

}  // namespace bartizan
