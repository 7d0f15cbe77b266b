#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// What a person would call the server that a command starts: the package behind npx or uvx, the
/// image behind docker run, the script or module behind an interpreter, the program otherwise. Not
/// yet reduced to what a server's name may hold.
std::string_view name_in_command(const std::vector<std::string>& command);

}  // namespace bartizan
