#pragma once

#include <string_view>

#include "config/problems.h"
#include "config/table_reader.h"

namespace bartizan {

/// Whether the pattern, which `key` has, is one of RE2's and small enough; reported where it is
/// not.
bool check_regex(const Text& pattern, std::string_view key, Problems& problems);

}  // namespace bartizan
