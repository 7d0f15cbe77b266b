#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// The conditions on SQL in a table: `[sql.NAME]`, or the inline table of a predicate.
/// Errors: reported at their places. `find_policy_problems` checks the patterns of names, because
///         it knows how names are read.
SqlForm load_sql_form(TableReader& table);

}  // namespace bartizan
