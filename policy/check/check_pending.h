#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does an answer or a cancellation name a request in progress that is the caller's own? Only then
/// does it pass; no rule can permit it, and none is needed. Silent about everything else.
Decision check_pending(const Call& call);

}  // namespace bartizan
