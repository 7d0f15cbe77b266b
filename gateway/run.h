#pragma once

#include <string>

namespace bartizan {

/// What `bartizan run` was asked for.
struct RunOptions {
  std::string config_file;
};

/// Runs the gateway until SIGTERM or SIGINT. Returns the exit code: 0 after an orderly stop, 1
/// when it could not start, or when calls were cut off at the end of the drain.
int run_gateway(const RunOptions& options);

}  // namespace bartizan
