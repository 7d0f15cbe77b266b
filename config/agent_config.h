#pragma once

#include <string>
#include <vector>

namespace bartizan {

/// `[server.NAME] agent = { id, token_sha256, mcp_servers }`: a Fabricore agent. It connects by
/// itself to an endpoint with `protocol = "fabricore"`, and receives calls there.
/// Source: Fabricore, "Agent <-> Server Communication".
struct AgentConfig {
  std::string id = {};            ///< `agent_id` of its `agent.identify`; unique among servers.
  std::string token_sha256 = {};  ///< SHA-256 of its `token`, lower-case hex.
  /// Names of MCP servers that run beside it. Its tool `NAME.TOOL` is the tool `TOOL` of the server
  /// `NAME`.
  std::vector<std::string> mcp_servers = {};

  bool operator==(const AgentConfig&) const = default;
};

}  // namespace bartizan
