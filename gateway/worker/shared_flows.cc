#include "gateway/worker/shared_flows.h"

namespace bartizan {

FlowMarks SharedFlows::find(std::string_view principal) {
  const std::lock_guard lock(mutex_);
  return table_.find(principal);
}

bool SharedFlows::mark(std::string_view principal, const std::vector<ToolLabel>& labels,
                       const CallClass& its, FlowMarks::Time window, FlowMarks::Time now) {
  const std::lock_guard lock(mutex_);
  return table_.mark(principal, labels, its, window, now);
}

}  // namespace bartizan
