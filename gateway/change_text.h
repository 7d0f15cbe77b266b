#pragma once

#include <string>

#include "policy/diff_policies.h"

namespace bartizan {

/// `role analyst gains more of files/read_file`
std::string change_text(const PolicyChange& change);

/// Why the other policy refuses it: `no_matching_rule`, `path_outside_root at /path, by rule docs`.
std::string refusal_text(const PolicyChange& change);

}  // namespace bartizan
