#pragma once

#include "gateway/call/call_frame.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether the own policy of the agent that a permitted call goes to takes it: `needs_approval` for
/// a tool that nobody approved, `forbidden` for a command that it blocks. Passes where the agent is
/// not connected, and for calls to other servers.
/// Source: Fabricore, "Handshake (Agent -> Server)".
Decision refused_by_agent(const CallFrame& frame, const Call& call);

}  // namespace bartizan
