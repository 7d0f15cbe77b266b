#pragma once

#include <memory>

#include "gateway/call/call_frame.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// What a transport with statuses says of a refused call whose caller could make it with a token of
/// more scopes: 403 with all scopes that this call needs, those of the present token included. Null
/// where no scope would help, or nobody may know.
///
/// It goes by names alone: of a tool that a rule would permit by its name it says what it says of
/// one that does not exist. Of what is hidden, or is not shown at the endpoint, it says nothing.
///
/// Input:  a decision that refuses the call.
/// Cost:   policy is asked as often as the issuer maps scopes, 64 times at most.
/// Source: RFC 6750 §3.1; MCP 2026-07-28, basic/authorization, "Scope Challenge Handling".
std::shared_ptr<const AnswerStatus> needed_scopes(const CallFrame& frame, const Decision& decision);

}  // namespace bartizan
