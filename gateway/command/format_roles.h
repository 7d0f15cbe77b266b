#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// What a policy means for each role, and for each principal that rules name, in a line each:
/// `role analyst: trust verified, 2 principals; permits files/read_*; forbids files/*_secret`. What
/// binds everyone has a line `everyone`. A principal whose roles state different trusts has a line
/// that says which counts.
std::vector<std::string> role_lines(const Config& config);

/// What a policy means for each role, as `role_lines` says it: an object per role, by name.
std::vector<JsonObject> roles_json(const Config& config);

}  // namespace bartizan
