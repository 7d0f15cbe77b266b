#pragma once

#include <string>
#include <vector>

#include "config/approval_config.h"

namespace bartizan {

/// One way in which approvals became easier, or harder, to get.
struct ApprovalChange {
  std::string how;  ///< `takes approvals for longer`
  bool is_wider = false;
};

/// The differences between approval terms that no example call shows: how long approvals hold, how
/// many persons must give them, and whether callers may approve their own calls.
std::vector<ApprovalChange> diff_approvals(const ApprovalTerms& before, const ApprovalTerms& after);

}  // namespace bartizan
