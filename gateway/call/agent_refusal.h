#pragma once

#include "gateway/call/call_frame.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether the agent's own policy accepts a permitted call: `needs_approval` for a tool that nobody
/// approved, `forbidden` for a command that it blocks. Passes if the agent is not connected, and
/// for calls to other servers.
/// Source: Fabricore, "Handshake (Agent -> Server)".
Decision refused_by_agent(const CallFrame& frame, const Call& call);

}  // namespace bartizan
