#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "schemas/base/error_code.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What an orchestrator of Fabricore asks of one agent, and the message of MCP that stands for it.
/// Source: Fabricore, "Native Tool Execution", "MCP Proxy Request".
struct FabricoreRequest {
  enum class Method : std::uint8_t {
    execute,  ///< `tool.execute`
    proxy     ///< `mcp.proxy`
  };
  Method method = Method::execute;
  std::string inner_id = {};  ///< Of `inner_request`, as JSON; empty for `tool.execute`.
  std::string message = {};   ///< `tools/call`.
};

/// Why a message is none that an agent takes.
struct FabricoreFault {
  ErrorCode code = ErrorCode::invalid_params;
  std::string detail;  ///< A sentence of ours that names the member.
};

/// The name by which clients of MCP call a tool of the agent.
using NameOfTool = std::function<std::string(std::string_view tool)>;

/// Reads a request for an agent. `approved_by` of a client counts for nothing: approvals are the
/// gateway's to say. The inner request of `mcp.proxy` has to be a `tools/call`, which is judged as
/// the call of the tool `SERVER.TOOL` of the agent.
///
/// Input:  `message`, a JSON object; `meta`, members for `_meta` of the call, without braces; may
///         be empty.
/// Errors: method_not_found; invalid_request for what is no request; invalid_params for a member
///         that is missing, of another type or unknown.
std::expected<FabricoreRequest, FabricoreFault> read_fabricore_request(JsonValue message,
                                                                       const NameOfTool& name_of,
                                                                       std::string_view meta = {});

}  // namespace bartizan
