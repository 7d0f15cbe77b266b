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

// Translation between MCP and a Fabricore agent. Pure functions over texts.

/// An agent's statement about itself when it connects. It grants nothing. Its policy narrows the
/// calls that are sent to it.
/// Source: Fabricore, "Handshake (Agent -> Server)".
struct AgentIdentity {
  /// A blocked command as the agent writes it, and the words that a shell would run.
  struct Blocked {
    std::string text;
    std::vector<std::vector<std::string>> commands;  ///< Empty if it cannot be read.
  };

  std::string agent_id;
  std::string token;    ///< Never recorded, shown or logged.
  std::string os_info;  ///< JSON; `{}` if absent, as for `capabilities`.
  std::string capabilities;
  std::string mcp_servers;   ///< An inventory, as JSON; `[]` if absent.
  bool asks_people = false;  ///< `security_policy.hitl_enabled`
  std::vector<Blocked> blocked_commands = {};
  std::vector<std::string> requires_approval_for = {};
  std::string id_json = {};  ///< Of the request.
};

/// Reads the request `agent.identify`. Refuses a policy list with more than 256 entries or 16 KiB,
/// since no entry may be dropped.
/// Errors: a sentence that names the member. It quotes nothing that was sent.
std::expected<AgentIdentity, std::string> read_agent_identity(JsonValue message);

/// One `tools/call` as it is sent to an agent. The texts are views of the message.
struct AgentCall {
  std::string_view target_server;  ///< The MCP server beside the agent; empty for its own tools.
  std::string_view tool;           ///< As the agent or its MCP server calls it.
  std::string_view arguments;      ///< As JSON, in the bytes that were judged.
  std::string_view full_tool;      ///< The gateway's name of the tool, with the server's name.
  std::string_view execution_id;   ///< The client's `bartizan/correlation_id`; empty for none.
  std::string_view approved_by;    ///< The signed approval; empty for none.
};

/// Reads the `params` of `tools/call` as sent to the agent. Nothing if they name no tool.
std::optional<AgentCall> read_agent_call(const AgentConfig& agent, JsonValue params);

/// The request for an agent: `tool.execute`, or `mcp.proxy` for an MCP server beside it. Its id is
/// `req-NUMBER`. The id of an inner request is the number.
std::string write_agent_request(const AgentCall& call, std::uint64_t number);

/// The number of the request that an agent answers; nothing if it answers none of the gateway's
/// requests.
std::optional<std::uint64_t> answered_number(JsonValue answer);

/// An agent's answer as the response to `tools/call`. The agent's error `data` moves to
/// `data.agent`, so that it cannot pass for the gateway's.
///
/// Input: `number` is that of the request; `is_proxied` for `mcp.proxy`. A result of `mcp.proxy` is
///        either the inner response, whose id is the number, or just the inner result.
std::string write_answer_of_agent(JsonValue answer, std::string_view id_json, std::uint64_t number,
                                  bool is_proxied);

/// The refusal of a call by the agent's own policy, as an answer of the agent. Nothing if the
/// policy accepts the call or has no rule for it. The argument `command` is a text or an array of
/// words. It is refused if it cannot be read, or if a command in it begins with the words of a
/// blocked command. Quotes, `sudo` and pipes do not hide a command.
std::optional<std::string> refuse_by_agent(const AgentIdentity& identity, const AgentCall& call,
                                           std::string_view id_json);

/// The result of `tools/list` for an agent: the profiles with a schema that name exactly one tool.
/// The schema's `description` is the tool's.
std::string write_agent_tools(const Config& config, const ServerConfig& server);

}  // namespace bartizan
