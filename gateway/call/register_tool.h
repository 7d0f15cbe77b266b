#pragma once

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Whether the message registers a tool: `tools/register` of a Groundhog client.
bool registers_tool(const CallFrame& frame);

/// Registers a tool, and ends the exchange. A configured server must list the tool, at the caller's
/// endpoint. Nobody can call the tool until a person approves the registration.
///
/// It is on record, and kept in the state file, before it is answered.
/// Errors: no_matching_rule for a caller with none of the endpoint's `registrars`; invalid_params,
///         as `read_registration` finds it, for a server that cannot keep the security profile, and
///         where somebody else's registration waits; tool_unknown; overloaded where there are too
///         many; internal where the state file fails.
/// Source: Groundhog, "Tool Registration Process".
Task<void> register_tool(CallFrame& frame);

}  // namespace bartizan
