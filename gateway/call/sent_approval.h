#pragma once

#include "gateway/call/call_frame.h"
#include "policy/verdict/permit.h"

namespace bartizan {

/// Shows the agent of a call who approved it: `params.approved_by` is the approver's signed
/// decision, a compact JWS. A client's value there is replaced by the decision. It is replaced by
/// null if nobody approved the call, or if decisions are not signed. Calls to other servers stay
/// unchanged.
/// Source: Fabricore, "Native Tool Execution".
void splice_approval(const CallFrame& frame, Permit& permit);

}  // namespace bartizan
