#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/path/path.h"

namespace bartizan {

/// The places to which a path argument leads, by each reading that `judge_path` requires to pass:
/// as it stands, without its escapes, with backslashes as slashes. Places are absolute and without
/// dots, each once. That of the text as it stands is first. Empty for a relative path without a
/// known start.
///
/// Cost: that of `judge_path` without patterns, and a copy of each place.
std::vector<std::string> path_places(std::string_view path, const PathRules& rules,
                                     std::string_view cwd);

}  // namespace bartizan
