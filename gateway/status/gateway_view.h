#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "audit/metrics.h"
#include "gateway/catalogue/quarantine.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// One worker's state for status pages, at the time of the visit.
struct WorkerView {
  MetricShard metrics;
  SnapshotPtr snapshot;
  DirectoryPtr directory;
  std::size_t sessions = 0;
  std::size_t pending_records = 0;
  std::map<std::string, Upstream::Load, std::less<>> loads;
  Quarantines quarantines;
};

/// Visits every worker, one after the other. Returns one view for each, in the order of the
/// workers.
/// Threads: awaited on `asking`, the control loop.
Task<std::vector<WorkerView>> look_at_all(Loop& asking, Gateway& gateway);

/// The quarantines of all workers: each worker keeps the lists that it was asked for.
Quarantines merged_quarantines(const std::vector<WorkerView>& views);

/// Why calls are not accepted now; empty while they are accepted.
std::string not_ready(Gateway& gateway, const WorkerView& view);

/// Problems that do not stop calls yet but need attention; a sentence each.
std::vector<std::string> status_warnings(Gateway& gateway);

}  // namespace bartizan
