#pragma once

#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/identity/revocation_table.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether operators revoked or blocked anything at all. Cost: an atomic load.
bool has_revocations(const CallFrame& frame);

/// Why an operator does not let the call of that frame go on: its caller, key, token or session was
/// revoked, or its caller, server or tool blocked. Passes otherwise.
Decision operator_refusal(const CallFrame& frame);

/// Whether an operator blocked what one copy of a call is for; see `check_blocked`.
Decision blocked_by_operator(const CallFrame& frame, const Call& call);

/// Whether an operator blocked that server, now.
bool is_server_blocked_now(const CallFrame& frame, std::string_view server);

/// Why the session that a call names is none of its caller's: revoked, which is told as unknown, or
/// unknown.
Decision refusal_of_session(const CallFrame& frame);

/// Ends the call as soon as `operator_refusal` has something against it, as long as the answer
/// lives: also while it waits for its turn, or for its server. One that has not left then never
/// does; one that has is cancelled at its server.
/// Input: a frame that has its `pending`.
RevocationTable::Watch watch_operators(CallFrame& frame);

}  // namespace bartizan
