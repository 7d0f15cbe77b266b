#pragma once

#include <cstddef>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan replay`.
struct ReplayOptions {
  std::string capture;
  std::string policy;
  std::size_t listed_max = 20;  ///< Calls that are listed one by one; 0: all.
};

/// `bartizan replay CAPTURE --policy NEW`: judges recorded traffic by a policy. Starts no server.
/// Returns kExitDone if every call is permitted or refused as it was, kExitFailed if one is not,
/// and kExitUsage if the capture or the policy is unusable.
int replay_capture(const ReplayOptions& options, const CommandOutput& output);

}  // namespace bartizan
