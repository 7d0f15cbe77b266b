#pragma once

#include <string>
#include <string_view>

#include "gateway/dialect/fabricore_request.h"

namespace bartizan {

/// An answer of MCP to a call of an agent's tool, in Fabricore's members. A result of
/// `tool.execute` is what the agent said as its result; that of `mcp.proxy` is the answer to the
/// inner request, under its own id. A refusal of policy is an error −32003 with `policy_rule` and
/// `remediation`; `source` says whether the gateway refused or the agent. It says no more than the
/// answer of MCP does.
///
/// Input:  one answer as it would leave to a client of MCP. Anything else stays as it is.
/// Source: Fabricore, "Responses & HITL Errors".
std::string write_fabricore_answer(std::string_view mcp, const FabricoreRequest& request);

/// An answer as HTTP has it: a status, and the result or the error without the message around it.
struct FabricoreResponse {
  int status = 200;
  std::string body;
};
FabricoreResponse write_fabricore_response(std::string_view mcp, const FabricoreRequest& request);

}  // namespace bartizan
