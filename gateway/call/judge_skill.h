#pragma once

#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Whether a resource that was read is what its server lists of it, where it is a file of a skill.
/// A list that may be old is asked for again before a file is held back. The detail of a refusal
/// stands in the frame's target (`quarantine`).
///
/// Input: an answer as the server sent it, before anything is taken out of it.
/// Cost:  for servers with skills the list of these, and a digest of the file; next to nothing for
///        others.
Task<Decision> judge_skill(CallFrame& frame, const ReceivedMessage& received);

}  // namespace bartizan
