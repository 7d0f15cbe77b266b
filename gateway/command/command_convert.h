#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan convert`.
struct ConvertOptions {
  std::string file;  ///< A Groundhog configuration, TOML; only read.
  /// New file for the gateway's configuration, readable by its owner only. Empty: standard output.
  std::string output = {};
  std::vector<std::string> allowed_hosts = {};  ///< Host names by which clients reach the gateway.
};

/// Converts a Groundhog configuration to a gateway's. Reports for each key its equivalent, or the
/// reason of its refusal and a replacement. Writes nothing unless all keys were converted. Copies
/// and shows no secret.
///
/// Returns kExitFailed if a key was refused, or a file could not be read or written.
int convert_configuration(const ConvertOptions& options, const CommandOutput& output);

}  // namespace bartizan
