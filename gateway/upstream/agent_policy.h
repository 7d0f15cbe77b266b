#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/upstream/agent_messages.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The parts of the gateway's name of a tool. Lifetime: views the name.
struct AgentTool {
  std::string_view server;  ///< The MCP server beside the agent; empty for the agent's own tool.
  std::string_view tool;    ///< As that server or the agent calls it.
};
AgentTool split_tool(const AgentConfig& agent, std::string_view name);

/// The reason why an agent's own policy refuses a call.
enum class AgentObjection : std::uint8_t {
  none,
  approval,  ///< `hitl_enabled` is set, `requires_approval_for` has the tool, and nobody approved
             ///< the call.
  command,   ///< `blocked_commands` has the command, or the command cannot be read.
};

/// The parts of a call that an agent's policy reads.
struct PolicedCall {
  std::string_view tool;      ///< The gateway's name: `SERVER.TOOL` for a server beside it.
  std::string_view own_tool;  ///< Without the server's name.
  JsonValue arguments;
  bool is_approved = false;
};

/// The words of the commands that a shell would run. Programs are without their folders and without
/// `sudo`. Empty if the line cannot be read.
std::vector<std::vector<std::string>> read_commands(std::string_view line);

/// The objection of an agent's policy to a call. The policy can only refuse calls: a call that it
/// does not name is judged as without it. Cost: parses `command` as a shell would, if the agent
/// blocks commands.
/// Source: Fabricore, "Handshake (Agent -> Server)", `security_policy`.
AgentObjection find_objection(const AgentIdentity& identity, const PolicedCall& call);

}  // namespace bartizan
