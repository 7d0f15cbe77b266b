#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// Whether a text is an RFC 6901 pointer to a value below the root. `*` is a normal segment.
bool is_json_pointer(std::string_view text);

/// One entry of `[tool.GLOB.arguments]`: exactly one predicate, and `optional`.
/// Errors: reported at their places. They include the name of a path, url, command or sql that
///         `config` does not have.
ArgumentPredicate load_predicate(const Text& pointer, TableReader& table, const Config& config);

}  // namespace bartizan
