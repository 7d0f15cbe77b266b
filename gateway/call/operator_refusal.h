#pragma once

#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/identity/revocation_table.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether operators revoked or blocked anything at all. Cost: an atomic load.
bool has_revocations(const CallFrame& frame);

/// Refuses the call of that frame if an operator revoked its caller, key, token or session, or
/// blocked its caller, server or tool. Passes otherwise.
Decision operator_refusal(const CallFrame& frame);

/// Whether an operator blocked the target of one copy of a call; see `check_blocked`.
Decision blocked_by_operator(const CallFrame& frame, const Call& call);

/// Whether an operator blocked that server, now.
bool is_server_blocked_now(const CallFrame& frame, std::string_view server);

/// Why a session id is not valid for its caller: it is revoked, which the caller sees as unknown,
/// or it is unknown.
Decision refusal_of_session(const CallFrame& frame);

/// Ends the call as soon as `operator_refusal` refuses it, as long as the returned object lives.
/// This includes a call that waits for a slot or for its server. A call that was not sent is then
/// never sent. A call that was sent is cancelled at its server.
/// Input: a frame that has its `pending`.
RevocationTable::Watch watch_operators(CallFrame& frame);

}  // namespace bartizan
