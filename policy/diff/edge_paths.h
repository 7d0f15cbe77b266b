#pragma once

#include <string>
#include <vector>

#include "config/predicate.h"

namespace bartizan {

/// Paths at the edges of a `[path.NAME]`. They have names of every kind (plain, hidden, denied, of
/// Windows, writable) in each folder that it names, with each extension. Paths outside of it
/// follow. The least unusual paths come first. Only the first thousand are kept.
std::vector<std::string> edge_paths(const PathConfig& path);

}  // namespace bartizan
