#pragma once

#include "gateway/command/command_line_mistake.h"

namespace CLI {
class App;
}

namespace bartizan {

/// The names that a command line may hold: of the command, its options, and those below it.
CommandNames command_names(const CLI::App& app);

}  // namespace bartizan
