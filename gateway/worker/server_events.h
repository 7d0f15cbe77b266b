#pragma once

#include "gateway/worker/worker.h"

namespace bartizan {

/// Handles the events of one worker's instances. Messages outside any call go to their sessions.
/// Changes of lists clear every worker's catalogue. States go to log, record and metrics.
UpstreamEvents make_upstream_events(Worker& worker);

/// Commits the record of a message of the gateway's own.
Task<Result<void>> record_gateway_message(Worker& worker, InstanceKey key, std::string method);

/// Clears the list that a server reports as changed, in every worker's catalogue.
void forget_changed_list(Worker& worker, const std::string& server, MethodId method);

/// Whether the configuration of `worker` has replaced the instance's definition, or has no such
/// server any more. Messages of the instance then concern only the calls that it still serves.
bool is_replaced(const Worker& worker, const InstanceKey& key);

}  // namespace bartizan
