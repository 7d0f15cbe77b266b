#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {

/// A command, and the commands that it has of its own.
struct CommandNames {
  std::string name;
  std::vector<CommandNames> commands = {};
};

/// What is wrong with a command line in a way that the library's own sentence would not tell: a
/// command that does not exist, or a server's program that does not stand behind `--`. Without the
/// program's own name. Nothing where the library may speak.
std::optional<std::string> find_mistake(const std::vector<std::string>& arguments,
                                        const std::vector<CommandNames>& commands);

}  // namespace bartizan
