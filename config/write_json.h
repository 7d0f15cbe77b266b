#pragma once

#include <string>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// A TOML value as JSON. A float is spelled by the fewest digits that read as the same one, which
/// are those that were written where these were at most fifteen.
/// Errors: dates, times, infinities and NaN, which JSON has not got, are reported where they stand;
///         the answer is empty then.
std::string write_json(const TomlValue& value, Problems& problems);

}  // namespace bartizan
