#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does a response or a cancellation name a request in progress of the caller? Only then does it
/// pass. No rule can permit another one, and none is needed. Passes all other messages.
Decision check_pending(const Call& call);

}  // namespace bartizan
