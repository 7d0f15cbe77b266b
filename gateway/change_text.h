#pragma once

#include <string>
#include <vector>

#include "policy/diff_policies.h"

namespace bartizan {

/// `role analyst gains more of files/read_file, files/read_text_file`
std::string change_text(const PolicyChange& change);

/// Why the other policy refuses it: `no_matching_rule`, `path_outside_root at /path, by rule docs`.
std::string refusal_text(const PolicyChange& change);

/// Of the callers, those that are roles, and those that are principals.
std::vector<std::string> roles_of(const PolicyChange& change);
std::vector<std::string> principals_of(const PolicyChange& change);

}  // namespace bartizan
