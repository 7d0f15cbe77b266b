#pragma once

#include <string>
#include <string_view>

#include "gateway/dialect/fabricore_request.h"

namespace bartizan {

/// Converts an MCP response to a call of an agent's tool to Fabricore's members. A result of
/// `tool.execute` is the agent's own result. That of `mcp.proxy` is the response to the inner
/// request, under its own id. A policy refusal is an error −32003 with `policy_rule` and
/// `remediation`. `source` tells whether the gateway or the agent refused. The result discloses no
/// more than the MCP response.
///
/// Input:  one response as an MCP client would get it. Any other message is returned unchanged.
/// Source: Fabricore, "Responses & HITL Errors".
std::string write_fabricore_answer(std::string_view mcp, const FabricoreRequest& request);

/// An HTTP response: a status, and the result or error without the message around it.
struct FabricoreResponse {
  int status = 200;
  std::string body;
};
FabricoreResponse write_fabricore_response(std::string_view mcp, const FabricoreRequest& request);

}  // namespace bartizan
