#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Opens the `requestState` of a modern request that its client sends again. `none` if it is valid
/// or absent; otherwise why it is refused.
/// Source: MCP 2026-07-28, basic/patterns/mrtr.
Reason open_request_state(CallFrame& frame);

/// Inserts the server's own state into a message to it.
void splice_request_state(const CallFrame& frame, Permit& permit);

/// Seals the `requestState` of a response for its client. Returns why the response may not pass;
/// nothing if it may.
std::optional<std::string> seal_request_state(CallFrame& frame, ReceivedMessage& answer);

}  // namespace bartizan
