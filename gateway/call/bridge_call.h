#pragma once

#include <memory>

#include "gateway/bridge/bridged_call.h"
#include "gateway/call/call_frame.h"

namespace bartizan {

/// The bridge between a call and a server of the other era; null if both speak the same era.
/// Input:    an instance that serves the call.
/// Lifetime: uses the worker, not the frame.
std::shared_ptr<BridgedCall> bridge_to(const CallFrame& frame, const UpstreamHandle& server);

}  // namespace bartizan
