#pragma once

#include "policy/access/endpoint_views.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does the endpoint that the client came to show what the call is for? What it does not show is
/// refused as `not_at_endpoint`, and told as a name that nobody has. Passes what is for no server,
/// and what came by a transport without endpoints.
Decision check_endpoint(const EndpointViews& views, const Call& call);

}  // namespace bartizan
