#pragma once

#include <functional>
#include <map>
#include <string>

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// One entry of `[tool.GLOB.arguments]`: exactly one predicate, and `optional`.
/// Errors: reported where they stand; a path that is not in `paths` is one.
ArgumentPredicate load_predicate(const Text& pointer, TableReader& table,
                                 const std::map<std::string, PathConfig, std::less<>>& paths);

}  // namespace bartizan
