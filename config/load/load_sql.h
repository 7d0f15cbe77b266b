#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// What a table says of SQL: `[sql.NAME]`, or the one that a predicate has in its place.
/// Errors: reported where they stand. Whether a pattern of names is one, `find_policy_problems`
///         says, which knows how names are read.
SqlForm load_sql_form(TableReader& table);

}  // namespace bartizan
