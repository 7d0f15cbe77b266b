#pragma once

#include <string_view>

#include "config/problems.h"
#include "config/table_reader.h"

namespace bartizan {

/// Whether the pattern is valid RE2 and small enough. Otherwise reports it, as the value of `key`.
bool check_regex(const Text& pattern, std::string_view key, Problems& problems);

}  // namespace bartizan
