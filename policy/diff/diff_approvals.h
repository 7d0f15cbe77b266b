#pragma once

#include <string>
#include <vector>

#include "config/approval_config.h"

namespace bartizan {

/// One thing in which approvals are easier, or harder, to have than before.
struct ApprovalChange {
  std::string how;  ///< `takes approvals for longer`
  bool is_wider = false;
};

/// What of the terms differs that no example call shows: for how long approvals hold, how many
/// persons have to give them, and whether callers may.
std::vector<ApprovalChange> diff_approvals(const ApprovalTerms& before, const ApprovalTerms& after);

}  // namespace bartizan
