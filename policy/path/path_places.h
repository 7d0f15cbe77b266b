#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/path/path.h"

namespace bartizan {

/// Where a path argument leads by each reading of which `judge_path` says that it must pass: as it
/// stands, without its escapes, with backslashes for slashes. Absolute and without dots, each once,
/// that of the text as it stands first. Empty for a relative path of which nobody here knows where
/// it starts.
///
/// Cost: that of `judge_path` without patterns, and a copy of each place.
std::vector<std::string> path_places(std::string_view path, const PathRules& rules,
                                     std::string_view cwd);

}  // namespace bartizan
