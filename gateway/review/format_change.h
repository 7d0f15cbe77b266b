#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/diff/diff_policies.h"

namespace bartizan {

/// The change as text: `role analyst gains more of files/read_file, files/read_text_file`.
std::string format_change(const PolicyChange& change);

/// The change as a line of bounded length: `roles a, b and 9 more gain …`.
std::string few_text(const PolicyChange& change);

/// The first names: `a, b and 9 more`.
std::string few_of(std::span<const std::string> names);

/// The reason of the other policy's refusal: `no_matching_rule`, `path_outside_root at /path, by
/// rule docs`.
std::string refusal_text(const PolicyChange& change);

/// The callers that are roles, and those that are principals.
std::vector<std::string> roles_of(const PolicyChange& change);
std::vector<std::string> principals_of(const PolicyChange& change);

}  // namespace bartizan
