#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// The access of each role, and of each principal in rules, one line each: `role analyst: trust
/// verified, 2 principals; permits files/read_*; forbids files/*_secret`. Rules for everyone are in
/// a line `everyone`. A principal whose roles have different trusts has a line with the one that
/// counts.
std::vector<std::string> role_lines(const Config& config);

/// The facts of `role_lines` as one object per role, by name.
std::vector<JsonObject> roles_json(const Config& config);

}  // namespace bartizan
