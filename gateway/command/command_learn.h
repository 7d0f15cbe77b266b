#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// What `bartizan learn` asks.
struct LearnOptions {
  std::string capture;
  std::string config;
  std::string output;        ///< Empty: where results go.
  bool is_replaced = false;  ///< A file `output` that exists is replaced.
};

/// `bartizan learn CAPTURE --config CURRENT`: the least policy that permits what was captured, as a
/// file for CURRENT to include in the place of its permits. Answers kExitDone where every call that
/// was permitted would be again, kExitFailed where one would not, or nothing could be written,
/// kExitUsage where the capture or the configuration cannot be used.
int learn_capture(const LearnOptions& options, const CommandOutput& output);

}  // namespace bartizan
