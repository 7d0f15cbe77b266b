#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/upstream/agent_messages.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A tool as the gateway calls it, taken apart. Lifetime: views the name.
struct AgentTool {
  std::string_view server;  ///< The MCP server beside the agent; empty for a tool of its own.
  std::string_view tool;    ///< As that server, or the agent, calls it.
};
AgentTool split_tool(const AgentConfig& agent, std::string_view name);

/// Why an agent's own policy does not take a call.
enum class AgentObjection : std::uint8_t {
  none,
  approval,  ///< The tool is one of `requires_approval_for`, and nobody approved the call.
  command,   ///< The command is one of `blocked_commands`, or cannot be read.
};

/// One call, as far as an agent's policy looks at it.
struct PolicedCall {
  std::string_view tool;      ///< As the gateway calls it: `SERVER.TOOL` of a server beside it.
  std::string_view own_tool;  ///< Without the server's name.
  JsonValue arguments;
  bool is_approved = false;
};

/// The words of what a shell would run, each program without its folder and without `sudo`. Empty
/// where the line cannot be read.
std::vector<std::vector<std::string>> read_commands(std::string_view line);

/// What an agent's policy says of a call. It only ever takes away: what it does not name is judged
/// as without it. Cost: reads `command` as a shell would, where the agent blocks commands.
/// Source: Fabricore, "Handshake (Agent -> Server)", `security_policy`.
AgentObjection find_objection(const AgentIdentity& identity, const PolicedCall& call);

}  // namespace bartizan
