#pragma once

#include <functional>

#include "gateway/command/command_scan.h"
#include "gateway/command/command_wrap.h"
#include "gateway/launch/launcher.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// Options of the commands that start a server without a configuration.
struct ServerCommands {
  WrapOptions wrap;  ///< Also for `scan --run`.
  ScanOptions scan;
};

/// Adds `scan` and `wrap` to the command line. Each fills `commands`, and sets `with_launcher` to
/// its work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `with_launcher`.
void add_server_commands(CLI::App& app, ServerCommands& commands, CommandOutput& output,
                         std::function<int(const Launcher&)>& with_launcher);

}  // namespace bartizan
