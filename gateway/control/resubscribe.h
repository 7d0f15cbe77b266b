#pragma once

#include <optional>
#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// An instance that began anew.
struct Begun {
  const UpstreamSet* home = nullptr;
  InstanceKey key;
};

/// Asks a server that was defined anew, or began anew, for what sessions of this worker had asked
/// it before: to be told of resources, and for a log level. A modern subscription ends instead, and
/// its client listens anew; a legacy client would never learn that nobody tells it any more.
///
/// Input: the instance that began anew: sessions that another one serves are left out. Nothing for
/// all sessions.
///
/// Each request is judged and recorded as the client's was, under the present policy; its record
/// says `gateway` for transport and proof. Who follows a resource is told that it was updated,
/// since what happened in between was said to nobody. What the server or policy refuses is
/// forgotten.
///
/// Threads: the worker's. Cost: one request after the other, within a minute altogether.
Task<void> resubscribe(Worker& worker, std::string server, std::optional<Begun> begun);

}  // namespace bartizan
