#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan release` is told.
struct ReleaseOptions {
  std::string config;       ///< Configuration, whose `[admin] socket` is asked.
  std::string tool;         ///< `server/tool`
  std::string fingerprint;  ///< Of the definition, as the record and `/api/status` name it.
};

/// `bartizan release`: tells a running gateway to take exactly that definition of a tool out of
/// quarantine, until it ends. `bartizan pin` keeps what was approved.
///
/// Answers kExitFailed where the gateway refuses, or does not answer; kExitUsage where the
/// configuration cannot be used or has no `[admin]`.
int release_quarantined(const ReleaseOptions& options, const CommandOutput& output);

}  // namespace bartizan
