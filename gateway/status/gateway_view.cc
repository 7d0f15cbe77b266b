#include "gateway/status/gateway_view.h"

#include <algorithm>

namespace bartizan {
namespace {

WorkerView look_at(Worker& worker) {
  return {.metrics = worker.loop.metrics(),
          .snapshot = worker.snapshot,
          .directory = worker.directory,
          .sessions = worker.sessions.size(),
          .pending_records = worker.recorder.pending(),
          .loads = worker.upstreams.loads(),
          .quarantines = worker.quarantines.look(worker.catalogue, worker.snapshot->policy)};
}

}  // namespace

Task<std::vector<WorkerView>> look_at_all(Loop& asking, Gateway& gateway) {
  std::vector<WorkerView> views;
  views.reserve(gateway.workers.size());
  for (const auto& worker : gateway.workers) {
    views.push_back(
        co_await Visit(asking, worker->loop, [&its = *worker] { return look_at(its); }));
  }
  co_return views;
}

std::string not_ready(Gateway& gateway, const WorkerView& view) {
  if (gateway.draining.load()) return "stopping";
  if (gateway.log.is_failing()) {
    return "the audit record cannot be written: " + gateway.log.failure();
  }
  if (!view.directory->probed) return "the servers are being probed";
  const auto is_local = [](const auto& server) { return !server.second.command.empty(); };
  if (std::ranges::any_of(view.snapshot->config.servers, is_local) && gateway.launcher.has_ended())
    return "the gateway's launcher has ended, and no local server can be started: restart it";
  return {};
}

Quarantines merged_quarantines(const std::vector<WorkerView>& views) {
  Quarantines all;
  for (const WorkerView& view : views) {
    for (const auto& [server, quarantine] : view.quarantines)
      all[server].merge(quarantine);
  }
  return all;
}

std::vector<std::string> status_warnings(Gateway& gateway) {
  std::vector<std::string> all;
  if (gateway.log.is_space_low()) {
    all.push_back("little space is left for the audit record: " +
                  std::to_string(gateway.log.free_bytes()) + " bytes");
  }
  if (gateway.log.is_rotation_failing()) all.emplace_back("the audit file cannot be rotated");
  if (!gateway.state_mismatch.empty()) all.push_back(gateway.state_mismatch);
  if (gateway.store != nullptr && gateway.store->is_failing()) {
    all.emplace_back("the state file fails, or falls behind the record: the log says why");
  }
  all.insert(all.end(), gateway.unknown_names.begin(), gateway.unknown_names.end());
  return all;
}

}  // namespace bartizan
