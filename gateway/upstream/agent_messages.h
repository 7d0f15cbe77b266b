#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

// What MCP and a Fabricore agent say for each other. Pure functions over texts.

/// What an agent says of itself when it connects. Nothing of it grants anything; its policy narrows
/// what it is sent.
/// Source: Fabricore, "Handshake (Agent -> Server)".
struct AgentIdentity {
  /// A command that is blocked, as its agent writes it, and the words of what a shell would run.
  struct Blocked {
    std::string text;
    std::vector<std::vector<std::string>> commands;  ///< Empty where it cannot be read.
  };

  std::string agent_id;
  std::string token;    ///< Never recorded, shown or logged.
  std::string os_info;  ///< As JSON; `{}` where it is not said, as for the next two.
  std::string capabilities;
  std::string mcp_servers;   ///< As JSON, `[]` where it is not said: an inventory.
  bool asks_people = false;  ///< `security_policy.hitl_enabled`
  std::vector<Blocked> blocked_commands = {};
  std::vector<std::string> requires_approval_for = {};
  std::string id_json = {};  ///< Of the request.
};

/// Reads the request `agent.identify`. Of a policy that has more than 256 entries, or 16 KiB of
/// them, the agent is not taken: none of it may be left out.
/// Errors: a sentence that names the member, and has no part of what was sent.
std::expected<AgentIdentity, std::string> read_agent_identity(JsonValue message);

/// What one `tools/call` asks of an agent. The texts are views of the message.
struct AgentCall {
  std::string_view target_server;  ///< The MCP server beside the agent; empty for its own tools.
  std::string_view tool;           ///< As agent or MCP server calls it.
  std::string_view arguments;      ///< As JSON, in the bytes that were judged.
  std::string_view full_tool;      ///< The tool as the gateway calls it, with the server's name.
  std::string_view execution_id;   ///< The client's `bartizan/correlation_id`; empty for none.
  std::string_view approved_by;    ///< The signed approval; empty for none.
};

/// Input: `params` of `tools/call` as it leaves for the agent. Nothing where it names no tool.
std::optional<AgentCall> read_agent_call(const AgentConfig& agent, JsonValue params);

/// The request that an agent gets: `tool.execute`, or `mcp.proxy` for an MCP server beside it. Its
/// id is `req-NUMBER`, and that of an inner request is the number.
std::string write_agent_request(const AgentCall& call, std::uint64_t number);

/// The number of the request that an agent answers; nothing where it is no answer to one of ours.
std::optional<std::uint64_t> answered_number(JsonValue answer);

/// An agent's answer as that of `tools/call`. What the agent says as `data` of an error stands in
/// `data.agent`, so that nothing of it passes for the gateway's.
///
/// Input: `number`, that of the request; `is_proxied`, whether it was `mcp.proxy`.
/// A result of `mcp.proxy` is the inner answer, whose id is the number, or the inner result alone.
std::string write_answer_of_agent(JsonValue answer, std::string_view id_json, std::uint64_t number,
                                  bool is_proxied);

/// Why the agent's own policy does not take a call, as an answer in its name; nothing where it
/// takes it, or does not say. The argument `command`, a text or an array of words, is refused where
/// a command in it begins with the words of a blocked one, in whatever quotes, behind `sudo` and in
/// pipes too; and where it cannot be read.
std::optional<std::string> refuse_by_agent(const AgentIdentity& identity, const AgentCall& call,
                                           std::string_view id_json);

/// The tools of an agent as the result of `tools/list`: profiles of exactly one tool that have a
/// schema. The schema's `description` is the tool's.
std::string write_agent_tools(const Config& config, const ServerConfig& server);

}  // namespace bartizan
