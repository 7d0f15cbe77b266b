#pragma once

#include <optional>
#include <string_view>

#include "config/problems.h"
#include "config/toml_reader.h"

namespace bartizan {

/// A call that is described in JSON, as the table that TOML would be: what TOML cannot say, in
/// `arguments` and `params`, is kept as text, and `time` of `facts` is a moment. The places are
/// those of the members in the text, which is file 0.
/// Errors: reported; then nothing.
std::optional<TomlValue> json_table(std::string_view text, Problems& problems);

}  // namespace bartizan
