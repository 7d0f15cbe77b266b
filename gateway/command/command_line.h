#pragma once

namespace bartizan {

/// Parses the command line, and runs its subcommand. Takes the arguments of `main`. Returns the
/// exit code: 0 success; 1 failure, or a failed check; 2 wrong usage. `run` does not return once
/// the gateway has started: it ends the process.
int run_command_line(int argc, char** argv);

}  // namespace bartizan
