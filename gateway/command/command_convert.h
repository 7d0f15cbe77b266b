#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan convert` is asked for.
struct ConvertOptions {
  std::string file;  ///< The configuration of a Groundhog system, TOML; only read.
  /// A new file for the gateway's configuration, for its owner alone; standard output if empty.
  std::string output = {};
  std::vector<std::string> allowed_hosts = {};  ///< By which clients call the gateway.
};

/// Writes a gateway's configuration for the configuration of a Groundhog system, and says of each
/// key what it became, or why it was refused and what to write instead. Nothing is written unless
/// all keys were converted. No secret is copied or shown.
///
/// Answers kExitFailed where a key was refused, or a file could not be read or written.
int convert_configuration(const ConvertOptions& options, const CommandOutput& output);

}  // namespace bartizan
