#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "policy/check/flow_set.h"

namespace bartizan {

/// What principals have read who have no sessions, guarded: it holds for the whole process.
///
/// Threads: any.
class SharedFlows {
 public:
  FlowMarks find(std::string_view principal);
  /// False where there is no room to remember it.
  bool mark(std::string_view principal, const std::vector<ToolLabel>& labels, const CallClass& its,
            FlowMarks::Time window, FlowMarks::Time now);

 private:
  std::mutex mutex_;
  FlowTable table_;
};

}  // namespace bartizan
