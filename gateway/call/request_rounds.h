#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Opens the `requestState` of a modern request that its client sends again. `none`, also where it
/// has none; or why it is refused.
/// Source: MCP 2026-07-28, basic/patterns/mrtr.
Reason open_request_state(CallFrame& frame);

/// Puts the server's own state into what is sent to it.
void splice_request_state(const CallFrame& frame, Permit& permit);

/// Seals the `requestState` of an answer for its client. Why the answer may not pass as it is;
/// nothing where it may.
std::optional<std::string> seal_request_state(CallFrame& frame, ReceivedMessage& answer);

}  // namespace bartizan
