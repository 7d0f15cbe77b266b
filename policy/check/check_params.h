#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Do the `params` of a client's message fit the published schema of the method? In responses to
/// servers, does no member differ from a known one only in letter case? Servers would read other
/// messages in different ways: to some, `completion/complete` with an unknown `ref.type` names a
/// prompt, to others a resource.
///
/// Messages of servers pass. Cost: see `find_params_flaw`.
Decision check_params(const Call& call);

}  // namespace bartizan
