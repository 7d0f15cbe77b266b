#pragma once

#include "gateway/worker/worker.h"

namespace bartizan {

/// What one worker does with what its instances report: messages outside any call go to the
/// sessions that they are for, changes of lists empty every worker's catalogue, states go to log,
/// record and metrics.
UpstreamEvents make_upstream_events(Worker& worker);

/// Commits the record of a message of the gateway's own.
Task<Result<void>> record_gateway_message(Worker& worker, InstanceKey key, std::string method);

/// Empties every worker's catalogue of the list that a server says has changed.
void forget_changed_list(Worker& worker, const std::string& server, MethodId method);

/// Whether the configuration that `worker` has replaced the instance's definition, or has no such
/// server any more: what the instance says then concerns the calls that it still serves, and nobody
/// else.
bool is_replaced(const Worker& worker, const InstanceKey& key);

}  // namespace bartizan
