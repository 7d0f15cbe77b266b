#pragma once

#include <string>

#include "gateway/worker/worker.h"

namespace bartizan {

/// Asks a server that was defined anew, or began anew, for what sessions of this worker had asked
/// it before: to be told of resources, and for a log level. A modern subscription ends instead, and
/// its client listens anew; a legacy client would never learn that nobody tells it any more.
///
/// Input: `owner` of the instance that began anew (`InstanceKey::owner`), a principal or a session;
/// empty for all sessions.
///
/// Each request is judged and recorded as the client's was, under the present policy; its record
/// says `gateway` for transport and proof. Who follows a resource is told that it was updated,
/// since what happened in between was said to nobody. What the server or policy refuses is
/// forgotten.
///
/// Threads: the worker's. Cost: one request after the other, within a minute altogether.
Task<void> repeat_requests(Worker& worker, std::string server, std::string owner);

}  // namespace bartizan
