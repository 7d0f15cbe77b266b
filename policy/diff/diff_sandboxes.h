#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// One difference between two sandboxes.
struct SandboxChange {
  bool is_wider = false;  ///< It confines the server less than before, or possibly less.
  std::string how = {};   ///< `may write to other files`
};

/// The differences between two sandboxes; empty if they confine alike. Pure.
std::vector<SandboxChange> diff_sandboxes(const SandboxConfig& before, const SandboxConfig& after);

}  // namespace bartizan
