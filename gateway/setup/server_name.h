#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// The natural name of the server that a command starts. This is the package after npx or uvx, the
/// image after docker run, the script or module after an interpreter, or else the program. It may
/// have characters that are not allowed in a server's name.
/// Lifetime: views the command.
std::string_view name_in_command(const std::vector<std::string>& command);

}  // namespace bartizan
