#pragma once

#include <string_view>

#include "policy/sql_names.h"

namespace bartizan {

/// Whether a function of that name, unqualified, is known to compute a value from its arguments and
/// nothing else, at a cost that its arguments bound: `count`, `lower`, `date_trunc`. What a policy
/// that names no functions lets through.
bool is_plain_function(const SqlName& name);

/// Whether a function may do more than compute, by its name: it reads or writes files, runs SQL or
/// programs, waits, locks, moves sequences, changes settings, or makes texts of any length. Only a
/// policy that names it lets it through.
bool is_risky_function(const SqlName& name);

}  // namespace bartizan
