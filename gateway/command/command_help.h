#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bartizan {

/// An option of a command, or an argument that stands without a name.
struct OptionHelp {
  std::vector<std::string> names = {};  ///< `--json`, `-n`; empty for an argument.
  std::string value = {};               ///< What stands for it: `FILE`; empty for a flag.
  std::string text = {};
  std::vector<std::string> choices = {};  ///< All values, where these are few.
  bool is_required = false;
  bool is_repeated = false;
};

/// A command, what it takes, and the commands that it has of its own.
struct CommandHelp {
  std::string name;
  std::string text = {};
  std::vector<OptionHelp> options = {};  ///< Without `--help`.
  std::vector<CommandHelp> commands = {};
};

/// What the command line says of itself. Hidden options are left out.
CommandHelp command_help(const CLI::App& app);

/// bartizan(1), in the man macros. Source: man(7).
std::string command_manual(const CommandHelp& program);

/// A program that reads command lines and completes them.
enum class Shell : std::uint8_t { bash, zsh, fish };
/// The completion for that shell, to be put where it looks for such files.
std::string completion_of(const CommandHelp& program, Shell shell);

}  // namespace bartizan
