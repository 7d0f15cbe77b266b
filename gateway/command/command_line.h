#pragma once

namespace bartizan {

/// Parses the command line, and runs the subcommand that it names. Takes what `main` takes, and
/// returns the exit code: 0 done; 1 it failed, or what was checked is not in order; 2 wrong usage.
/// `run` does not return once the gateway has started: it ends the process.
int run_command_line(int argc, char** argv);

}  // namespace bartizan
