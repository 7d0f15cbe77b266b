#pragma once

#include <string>

#include "gateway/review/command_output.h"

namespace bartizan {

/// Options of `bartizan learn`.
struct LearnOptions {
  std::string capture;
  std::string config;
  std::string output;        ///< Empty: standard output.
  bool is_replaced = false;  ///< Whether an existing `output` is replaced.
};

/// `bartizan learn CAPTURE --config CURRENT`: the least policy that permits the captured calls. It
/// is a file that CURRENT includes instead of its permits. Returns kExitDone if every permitted
/// call would be permitted again. Returns kExitFailed if one would not, or nothing could be
/// written, and kExitUsage if the capture or the configuration is unusable.
int learn_capture(const LearnOptions& options, const CommandOutput& output);

}  // namespace bartizan
