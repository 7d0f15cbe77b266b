#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Do the headers of a modern client's message agree with its body? A load balancer or rate limiter
/// in front of the gateway reads the headers, and the server reads the body. Both must see the same
/// call.
///
/// Requests need `MCP-Protocol-Version` and `Mcp-Method`, and `Mcp-Name` if the method has a name.
/// On notifications, the headers that are present must agree. `Mcp-Name` is compared with the name
/// in the body, which is the name that the client sees.
///
/// Source: MCP 2026-07-28, basic/transports/streamable-http, "Server Validation".
Decision check_headers(const Call& call);

/// Do the `Mcp-Param-*` headers repeat the arguments that the tool's definition names? Other such
/// headers are ignored. A renamed argument counts under either name. It runs after `existence`: the
/// definition says which headers are required, and a principal without a rule must not learn it.
Decision check_mirrored_arguments(const Call& call);

}  // namespace bartizan
