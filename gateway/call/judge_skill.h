#pragma once

#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether a resource has the digest that its server lists, if it is a file of a skill. A list that
/// may be old is requested again before a file is withheld. The detail of a refusal is in the
/// frame's target (`quarantine`).
///
/// Input: an answer as the server sent it, before anything is taken out of it.
/// Cost:  for servers with skills the list of these, and a digest of the file; next to nothing for
///        others.
Task<Decision> judge_skill(CallFrame& frame, const ReceivedMessage& received);

}  // namespace bartizan
