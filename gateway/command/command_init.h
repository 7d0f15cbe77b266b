#pragma once

#include <cstdint>
#include <string>

#include "gateway/command/command_client.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// What is done with a file that stands where one is to be written.
enum class Existing : std::uint8_t { keep, replace };

struct InitOptions {
  ClientSettings client;  ///< Only read.
  std::string output = "gateway.toml";
  Existing existing = Existing::keep;
};

/// Writes a gateway's configuration from the servers in a desktop client's settings, moves what
/// looks like a secret into files of its own, and shows the client's new entries. Every file is
/// its owner's alone.
int init_configuration(const InitOptions& options, const CommandOutput& output);

}  // namespace bartizan
