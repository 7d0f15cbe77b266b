#pragma once

#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"

namespace bartizan {

// What clients that speak Groundhog ask of tools, for which MCP has no member.

/// The list that a Groundhog client requests, as a search; nothing for another request.
std::optional<ToolSearch> search_of(const GroundhogRequest& request);

/// Whether a permitted call fits its Groundhog request. `tool_version` is the tool's version. The
/// caller has each permission that it names, and it names each permission that the tool requires.
/// MCP clients pass.
///
/// It runs after policy permits the call, or would with an approval, and before people are asked.
/// So nobody else learns a version or a permission.
/// Errors: invalid_params for the version; permission_missing.
Decision check_asked_tool(const CallFrame& frame);

/// The entry of a list for a Groundhog client. Input: `name`, the server's own; `definition`, as a
/// client of MCP would see it.
std::string asked_tool_entry(const CallFrame& frame, const ServerConfig& server,
                             std::string_view name, std::string_view definition);

}  // namespace bartizan
