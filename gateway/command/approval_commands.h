#pragma once

#include <functional>

#include "gateway/command/command_approvals.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// Adds `approvals` and its subcommands to the command line. Each fills `options`, and sets
/// `action` to its work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `action`.
void add_approval_commands(CLI::App& app, ApprovalsOptions& options, CommandOutput& output,
                           std::function<int()>& action);

}  // namespace bartizan
