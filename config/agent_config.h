#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// `[server.NAME] agent = { id, token_sha256, mcp_servers }`: a Fabricore agent, which connects to
/// an endpoint with `protocol = "fabricore"` by itself and takes calls there.
/// Source: Fabricore, "Agent <-> Server Communication".
struct AgentConfig {
  std::string id = {};            ///< `agent_id` of its `agent.identify`; no other server has it.
  std::string token_sha256 = {};  ///< Of its `token`, in lower-case hex.
  /// Names of MCP servers that run beside it. A tool `NAME.TOOL` of the agent is `TOOL` of one.
  std::vector<std::string> mcp_servers = {};

  bool operator==(const AgentConfig&) const = default;
};

}  // namespace bartizan
