#pragma once

#include <string>
#include <vector>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan who-can` is asked.
struct WhoCanOptions {
  std::string tool = {};                    ///< `server/tool`.
  std::vector<std::string> arguments = {};  ///< Each `POINTER=VALUE`.
  /// A configuration. Without one: what the gateway with the record `kDefaultRecordFile` loaded
  /// last.
  std::string config = {};
  std::string policy = {};  ///< The digest of one that took over, or how it begins.
  std::string at = {};      ///< A date and time: the one that was in force then.
};

/// `bartizan who-can TOOL [--argument POINTER=VALUE …] [--config FILE] [--policy DIGEST | --at
/// TIME]`: who can call a tool, by which rule and under which conditions. No server runs, and no
/// secret is read. kExitDone where somebody can, kExitFailed where nobody can, kExitUsage where the
/// question cannot be asked.
int who_can(const WhoCanOptions& options, const CommandOutput& output);

}  // namespace bartizan
