#pragma once

#include "gateway/call/call_frame.h"
#include "policy/verdict/permit.h"

namespace bartizan {

/// Has the agent that a call goes to see who approved it: `params.approved_by` is the signed
/// decision of the approver by which the call was permitted, a compact JWS. What a client wrote
/// there is replaced: by the decision, or by null where nobody approved the call, or decisions are
/// not signed. Of calls to other servers nothing is changed.
/// Source: Fabricore, "Native Tool Execution".
void splice_approval(const CallFrame& frame, Permit& permit);

}  // namespace bartizan
