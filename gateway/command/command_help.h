#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bartizan {

/// An option or a positional argument of a command.
struct OptionHelp {
  std::vector<std::string> names = {};  ///< `--json`, `-n`; empty for a positional argument.
  std::string value = {};               ///< The value's placeholder: `FILE`; empty for a flag.
  std::string text = {};
  std::vector<std::string> choices = {};  ///< All values, if they are few.
  bool is_required = false;
  bool is_repeated = false;
};

/// A command with its options and subcommands.
struct CommandHelp {
  std::string name;
  std::string text = {};
  std::vector<OptionHelp> options = {};  ///< Without `--help`.
  std::vector<CommandHelp> commands = {};
};

/// The help of a command line. Hidden options are left out.
CommandHelp command_help(const CLI::App& app);

/// bartizan(1), in the man macros. Source: man(7).
std::string command_manual(const CommandHelp& program);

/// A shell with completion files.
enum class Shell : std::uint8_t { bash, zsh, fish };
/// The completion file for that shell.
std::string completion_of(const CommandHelp& program, Shell shell);

}  // namespace bartizan
