#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan release`.
struct ReleaseOptions {
  std::string config;       ///< Configuration with the `[admin] socket`.
  std::string tool;         ///< `server/tool`
  std::string fingerprint;  ///< Of the definition, as in the record and `/api/status`.
};

/// `bartizan release`: releases exactly that definition of a tool from quarantine in a running
/// gateway, until it ends. `bartizan pin` makes approvals permanent.
///
/// Returns kExitFailed if the gateway refuses or does not respond. Returns kExitUsage if the
/// configuration is unusable or has no `[admin]`.
int release_quarantined(const ReleaseOptions& options, const CommandOutput& output);

}  // namespace bartizan
