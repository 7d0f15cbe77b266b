#pragma once

#include <memory>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// READ THIS FIRST: handles one message, from its transport to its response. It uses the message,
/// the policy and the servers, but no transport.
///
/// Threads: runs on `worker`, which is the home of the session that the message belongs to.
Task<void> handle_call(Worker& worker, std::unique_ptr<Inbound> inbound,
                       std::shared_ptr<Exchange> exchange);

}  // namespace bartizan
