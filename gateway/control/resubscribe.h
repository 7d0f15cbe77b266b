#pragma once

#include <optional>
#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// An instance that started anew.
struct Begun {
  const UpstreamSet* home = nullptr;
  InstanceKey key;
};

/// Repeats the subscriptions and log levels of this worker's sessions at a server that was
/// redefined or started anew. A legacy client would not notice that its subscription is gone. A
/// modern subscription ends instead, and its client subscribes again.
///
/// Input: the instance that started anew; sessions of other instances are left out. Nothing for all
///        sessions.
///
/// Each request is judged by the present policy and recorded. Its record has `gateway` as transport
/// and proof. Subscribers of a resource get an update, since changes in between were not reported.
/// Requests that the server or policy refuses are dropped.
///
/// Threads: the worker's. Cost: one request after the other, within a minute altogether.
Task<void> resubscribe(Worker& worker, std::string server, std::optional<Begun> begun);

}  // namespace bartizan
