#pragma once

#include <functional>
#include <string>

#include "gateway/command/command_convert.h"
#include "gateway/command/command_init.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// Options of the commands that write a configuration.
struct SetupCommands {
  InitOptions init;
  bool writes = false;  ///< `init --write`
  bool undoes = false;  ///< `init --undo`
  std::string example;  ///< Folder of `init --example`.
  ConvertOptions convert;
};

/// Adds `init` and `convert` to the command line. Each fills `commands`, and sets `action` to its
/// work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `action`.
void add_setup_commands(CLI::App& app, SetupCommands& commands, CommandOutput& output,
                        std::function<int()>& action);

}  // namespace bartizan
