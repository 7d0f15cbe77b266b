#pragma once

#include <optional>
#include <string_view>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// Converts a call described in JSON to the table that TOML would give. `arguments`, `params` and
/// `definition` are kept as JSON text, because TOML cannot express all of JSON. `time` of `facts`
/// is a moment. Positions are those of the members in the text, which is file 0.
/// Errors: reported; then returns nothing.
std::optional<TomlValue> json_table(std::string_view text, Problems& problems);

}  // namespace bartizan
