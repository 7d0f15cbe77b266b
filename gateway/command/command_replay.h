#pragma once

#include <cstddef>
#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan replay` asks.
struct ReplayOptions {
  std::string capture;
  std::string policy;
  std::size_t listed_max = 20;  ///< Calls that are told one by one; 0 is all.
};

/// `bartizan replay CAPTURE --policy NEW`: what a policy says of recorded traffic. No server runs.
/// Answers kExitDone where every call is let through or refused as it was, kExitFailed where one is
/// not, kExitUsage where the capture or the policy cannot be used.
int replay_capture(const ReplayOptions& options, const CommandOutput& output);

}  // namespace bartizan
