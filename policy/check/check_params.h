#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Are the `params` of a client's message what its revision published for the method, and does no
/// member of its answers to servers pass for another one by letter case? Servers would fill in,
/// leave out or take for another what is not so: `completion/complete` with an unknown `ref.type`
/// is about a prompt to some, and about a resource to others.
///
/// What servers send passes. Cost: see `find_params_flaw`.
Decision check_params(const Call& call);

}  // namespace bartizan
