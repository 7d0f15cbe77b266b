#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// One way in which a sandbox became another.
struct SandboxChange {
  bool is_wider = false;  ///< It keeps less from its server than before, or nobody can tell.
  std::string how = {};   ///< `may write to other files`
};

/// Pure. Nothing for two sandboxes that confine alike.
std::vector<SandboxChange> diff_sandboxes(const SandboxConfig& before, const SandboxConfig& after);

}  // namespace bartizan
