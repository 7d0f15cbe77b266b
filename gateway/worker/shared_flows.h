#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "policy/check/flow_set.h"

namespace bartizan {

/// The flow marks of principals without sessions, for the whole process, guarded.
///
/// Threads: any.
class SharedFlows {
 public:
  FlowMarks find(std::string_view principal);
  /// False if there is no room for the mark.
  bool mark(std::string_view principal, const std::vector<ToolLabel>& labels, const CallClass& its,
            FlowMarks::Time window, FlowMarks::Time now);

 private:
  std::mutex mutex_;
  FlowTable table_;
};

}  // namespace bartizan
