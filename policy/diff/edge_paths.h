#pragma once

#include <string>
#include <vector>

#include "config/predicate.h"

namespace bartizan {

/// Paths at the edges of what a `[path.NAME]` asks: names of every kind (plain, hidden, denied, of
/// Windows, to be written) in each folder that it speaks of, with each extension; and what is
/// outside. Those in which the least is uncommon come first, and what does not fit among the first
/// thousand is left out.
std::vector<std::string> edge_paths(const PathConfig& path);

}  // namespace bartizan
