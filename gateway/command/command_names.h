#pragma once

#include "gateway/command/command_line_mistake.h"

namespace CLI {
class App;
}

namespace bartizan {

/// The names of a command line: the command, its options and its subcommands.
CommandNames command_names(const CLI::App& app);

}  // namespace bartizan
