#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "audit/metrics.h"
#include "gateway/catalogue/quarantine.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// What status pages need from one worker's own state, as it was when the worker was visited.
struct WorkerView {
  MetricShard metrics;
  SnapshotPtr snapshot;
  DirectoryPtr directory;
  std::size_t sessions = 0;
  std::size_t pending_records = 0;
  std::map<std::string, Upstream::Load, std::less<>> loads;
  Quarantines quarantines;
};

/// Visits every worker, one after the other. Answers one view for each, the first worker's first.
/// Threads: awaited on `asking`, the control loop.
Task<std::vector<WorkerView>> look_at_all(Loop& asking, Gateway& gateway);

/// What is quarantined by any of the workers: lists are kept by each worker that was asked for
/// them.
Quarantines merged_quarantines(const std::vector<WorkerView>& views);

/// Why calls are not accepted now; empty while they are.
std::string not_ready(Gateway& gateway, const WorkerView& view);

/// What does not stop calls yet, and should be looked at before it does; a sentence each.
std::vector<std::string> status_warnings(Gateway& gateway);

}  // namespace bartizan
