#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Do the headers of a modern client's message say what its body says? A balancer or a rate limiter
/// in front of us reads the headers, the server reads the body, and nobody may show them two
/// different calls.
///
/// Requests need `MCP-Protocol-Version`, `Mcp-Method`, and where the method has a name `Mcp-Name`;
/// on notifications whatever is there must be right. `Mcp-Name` is compared with the name in the
/// body, which is the one that the client sees.
///
/// Source: MCP 2026-07-28, basic/transports/streamable-http, "Server Validation".
Decision check_headers(const Call& call);

/// Do the `Mcp-Param-*` headers repeat the arguments that the tool's definition names? One that the
/// definition does not ask for is ignored. Arguments count under either name. Stands behind
/// `existence`: what is wanted here is known from the definition, and a principal without a rule
/// must learn nothing about that.
Decision check_mirrored_arguments(const Call& call);

}  // namespace bartizan
