#pragma once

#include "policy/access/endpoint_views.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does the client's endpoint show the target of the call? Otherwise it is refused as
/// `not_at_endpoint`, and the caller gets the response for a name that does not exist. Passes calls
/// for no server, and calls over a transport without endpoints.
Decision check_endpoint(const EndpointViews& views, const Call& call);

}  // namespace bartizan
