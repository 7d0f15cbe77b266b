#pragma once

#include <memory>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// READ THIS FIRST: the life of one message, from its transport to its answer. It knows the
/// message, the policy and the servers, and no transport.
///
/// Threads: runs on `worker`, which is the home of the session that the message belongs to.
Task<void> handle_call(Worker& worker, std::unique_ptr<Inbound> inbound,
                       std::shared_ptr<Exchange> exchange);

}  // namespace bartizan
