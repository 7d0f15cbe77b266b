#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "schemas/base/error_code.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A Fabricore orchestrator's request to one agent, and the equivalent MCP message.
/// Source: Fabricore, "Native Tool Execution", "MCP Proxy Request".
struct FabricoreRequest {
  enum class Method : std::uint8_t {
    execute,  ///< `tool.execute`
    proxy     ///< `mcp.proxy`
  };
  Method method = Method::execute;
  std::string inner_id = {};  ///< Id of `inner_request`, as JSON; empty for `tool.execute`.
  std::string message = {};   ///< A `tools/call`.
};

/// Why a message is not a valid request to an agent.
struct FabricoreFault {
  ErrorCode code = ErrorCode::invalid_params;
  std::string detail;  ///< A sentence of the gateway that names the member.
};

/// Converts a tool of the agent to its name for MCP clients.
using NameOfTool = std::function<std::string(std::string_view tool)>;

/// Reads a request to an agent. A client's `approved_by` is ignored, because only the gateway
/// decides about approvals. The inner request of `mcp.proxy` must be a `tools/call`. It is judged
/// as a call of the agent's tool `SERVER.TOOL`.
///
/// Input:  `message`, a JSON object; `meta`, members for `_meta` of the call, without braces; may
///         be empty.
/// Errors: `method_not_found`; `invalid_request` if it is not a request; `invalid_params` for a
///         member that is missing, of another type or unknown.
std::expected<FabricoreRequest, FabricoreFault> read_fabricore_request(JsonValue message,
                                                                       const NameOfTool& name_of,
                                                                       std::string_view meta = {});

}  // namespace bartizan
