#pragma once

#include <cstdint>
#include <string>

#include "gateway/command/command_client.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// The handling of an existing output file.
enum class Existing : std::uint8_t { keep, replace };

struct InitOptions {
  ClientSettings client;  ///< Only read.
  std::string output = "gateway.toml";
  Existing existing = Existing::keep;
};

/// Writes a gateway's configuration from the servers in a desktop client's settings. Moves
/// suspected secrets into separate files, and shows the client's new entries. Only the owner can
/// read the files.
int init_configuration(const InitOptions& options, const CommandOutput& output);

}  // namespace bartizan
