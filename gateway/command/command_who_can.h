#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan who-can`.
struct WhoCanOptions {
  std::string tool = {};                    ///< `server/tool`.
  std::vector<std::string> arguments = {};  ///< Each `POINTER=VALUE`.
  /// A configuration. Empty: the last one that the gateway with the record `kDefaultRecordFile`
  /// loaded.
  std::string config = {};
  std::string policy = {};  ///< The digest of an activated configuration, or its beginning.
  std::string at = {};      ///< A date and time: the configuration active then.
};

/// `bartizan who-can TOOL [--argument POINTER=VALUE …] [--config FILE] [--policy DIGEST | --at
/// TIME]`: who can call a tool, by which rule and under which conditions. Starts no server and
/// reads no secret. Returns kExitDone if somebody can, kExitFailed if nobody can, and kExitUsage
/// for an invalid question.
int who_can(const WhoCanOptions& options, const CommandOutput& output);

}  // namespace bartizan
