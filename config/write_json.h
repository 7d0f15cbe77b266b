#pragma once

#include <string>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// A TOML value as JSON. A float has the fewest digits that read as the same number. These are the
/// written digits if there were at most fifteen.
/// Errors: reports dates, times, infinities and NaN, which JSON does not have, at their places, and
///         returns an empty text.
std::string write_json(const TomlValue& value, Problems& problems);

}  // namespace bartizan
