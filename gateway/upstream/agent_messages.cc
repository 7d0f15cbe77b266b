#include "gateway/upstream/agent_messages.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "gateway/message/correlation_id.h"
#include "gateway/upstream/agent_policy.h"
#include "schemas/json/json_members.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr std::string_view kRequest = "req-";
constexpr std::size_t kAgentTokenBytesMax = 4096;
constexpr std::size_t kPolicyEntriesMax = 256;
constexpr std::size_t kPolicyBytesMax = std::size_t{16} << 10;
/// The Fabricore code for an action that needs a person's approval.
constexpr int kSecurityViolation = -32003;
constexpr int kInternalError = -32603;

/// A list of texts in the agent's policy; nothing where it is something else, or too long.
std::optional<std::vector<std::string>> texts_of(JsonValue list) {
  std::vector<std::string> texts;
  if (!list) return texts;
  if (!list.is(JsonType::array) || list.size() > kPolicyEntriesMax ||
      list.raw().size() > kPolicyBytesMax) {
    return std::nullopt;
  }
  for (const JsonValue one : list) {
    if (!one.is(JsonType::string)) return std::nullopt;
    texts.emplace_back(one.text());
  }
  return texts;
}

/// A member of that type as JSON, or what stands for its absence.
std::optional<std::string> json_of(JsonValue params, std::string_view name, JsonType type,
                                   std::string_view absent) {
  const JsonValue member = params.find(name);
  if (!member) return std::string(absent);
  return member.is(type) ? std::optional(std::string(member.raw())) : std::nullopt;
}

std::string error_of_agent(std::string_view id_json, int code, std::string_view message,
                           std::string_view data_json) {
  JsonMembers data;
  data.add_raw("agent", data_json.empty() ? "{}" : data_json);
  return write_error(id_json, code, message, std::move(data).text());
}

std::string write_tool_result(std::string_view id_json, JsonValue result) {
  const JsonValue output = result.find("output");
  const JsonValue status = result.find("status");
  const std::string_view text = output.is(JsonType::string) ? output.text() : result.raw();
  JsonMembers block;
  block.add("type", "text").add("text", text);
  JsonMembers whole;
  whole.add_raw("content", "[" + std::move(block).text() + "]");
  if (result.is(JsonType::object)) whole.add_raw("structuredContent", result.raw());
  whole.add("isError", status && status.text() != "success");
  return write_result(id_json, std::move(whole).text());
}

std::string write_bad_answer(std::string_view id_json, std::string_view sentence) {
  return error_of_agent(id_json, kInternalError, sentence, {});
}

std::string write_error_of_agent(std::string_view id_json, JsonValue error) {
  const JsonValue message = error.find("message");
  const std::int64_t code = error.find("code").integer().value_or(kInternalError);
  const bool is_code = code >= std::int64_t{INT32_MIN} && code <= std::int64_t{INT32_MAX};
  const JsonValue data = error.find("data");
  return error_of_agent(
      id_json, is_code ? static_cast<int>(code) : kInternalError,
      message.is(JsonType::string) ? message.text() : std::string_view("The agent failed."),
      data ? data.raw() : std::string_view());
}

/// The response of an MCP server beside the agent.
std::string write_inner_answer(std::string_view id_json, std::uint64_t number, JsonValue result) {
  const bool is_message = result.find("jsonrpc") && (result.find("result") || result.find("error"));
  if (is_message) {
    const JsonValue id = result.find("id");
    if (id.integer() != static_cast<std::int64_t>(number)) {
      return write_bad_answer(id_json, "The agent answers another inner request.");
    }
    if (const JsonValue error = result.find("error")) return write_error_of_agent(id_json, error);
    result = result.find("result");
  }
  if (result.find("content").is(JsonType::array)) return write_result(id_json, result.raw());
  return write_tool_result(id_json, result);
}

/// MCP wants the schema of arguments to say that they are an object.
std::string input_schema(JsonValue schema) {
  if (schema.find("type")) return std::string(schema.raw());
  JsonMembers typed;
  typed.add("type", "object");
  for (const JsonValue member : schema)
    typed.add_raw(member.key(), member.raw());
  return std::move(typed).text();
}

}  // namespace

std::expected<AgentIdentity, std::string> read_agent_identity(JsonValue message) {
  const auto fault = [](std::string sentence) { return std::unexpected(std::move(sentence)); };
  const JsonValue id = message.find("id");
  const bool is_request = id.is(JsonType::string) || id.is(JsonType::number);
  if (message.find("jsonrpc").text() != "2.0" || !is_request) {
    return fault("the first message must be a request of JSON-RPC 2.0");
  }
  if (message.find("method").text() != "agent.identify") {
    return fault("the first message must be agent.identify");
  }
  const JsonValue params = message.find("params");
  AgentIdentity identity{.agent_id = std::string(params.find("agent_id").text()),
                         .token = std::string(params.find("token").text()),
                         .id_json = std::string(id.raw())};
  if (identity.agent_id.empty()) return fault("/params/agent_id must be a text");
  if (identity.token.empty() || identity.token.size() > kAgentTokenBytesMax) {
    return fault("/params/token must be a text of at most 4096 bytes");
  }
  const auto os_info = json_of(params, "os_info", JsonType::object, "{}");
  if (!os_info.has_value()) return fault("/params/os_info must be an object");
  identity.os_info = *os_info;
  const auto capabilities = json_of(params, "capabilities", JsonType::object, "{}");
  if (!capabilities.has_value()) return fault("/params/capabilities must be an object");
  identity.capabilities = *capabilities;
  const auto servers = json_of(params, "mcp_servers", JsonType::array, "[]");
  if (!servers.has_value()) return fault("/params/mcp_servers must be an array");
  identity.mcp_servers = *servers;
  const JsonValue policy = params.find("security_policy");
  if (policy && !policy.is(JsonType::object)) {
    return fault("/params/security_policy must be an object");
  }
  identity.asks_people = policy.find("hitl_enabled").boolean().value_or(false);
  auto blocked = texts_of(policy.find("blocked_commands"));
  auto asked = texts_of(policy.find("requires_approval_for"));
  if (!blocked.has_value() || !asked.has_value()) {
    return fault("/params/security_policy must have lists of at most 256 texts and 16 KiB");
  }
  for (std::string& text : *blocked) {
    auto commands = read_commands(text);
    identity.blocked_commands.push_back({.text = std::move(text), .commands = std::move(commands)});
  }
  identity.requires_approval_for = *std::move(asked);
  return identity;
}

std::optional<AgentCall> read_agent_call(const AgentConfig& agent, JsonValue params) {
  const JsonValue name = params.find("name");
  if (!name.is(JsonType::string)) return std::nullopt;
  const JsonValue arguments = params.find("arguments");
  const AgentTool named = split_tool(agent, name.text());
  return AgentCall{.target_server = named.server,
                   .tool = named.tool,
                   .arguments = arguments ? arguments.raw() : std::string_view("{}"),
                   .full_tool = name.text(),
                   .execution_id = read_correlation_id(params.find("_meta")),
                   .approved_by = params.find("approved_by").text()};
}

std::string write_agent_request(const AgentCall& call, std::uint64_t number) {
  const std::string id = fmt::format("\"{}{}\"", kRequest, number);
  JsonMembers params;
  if (call.target_server.empty()) {
    params.add("tool_name", call.tool).add_raw("arguments", call.arguments);
  } else {
    JsonMembers inner;
    inner.add("name", call.tool).add_raw("arguments", call.arguments);
    params.add("target_server", call.target_server)
        .add_raw("inner_request",
                 write_request(std::to_string(number), "tools/call", std::move(inner).text()));
  }
  if (!call.execution_id.empty()) params.add("execution_id", call.execution_id);
  if (!call.approved_by.empty()) params.add("approved_by", call.approved_by);
  return write_request(id, call.target_server.empty() ? "tool.execute" : "mcp.proxy",
                       std::move(params).text());
}

std::optional<std::uint64_t> answered_number(JsonValue answer) {
  if (answer.find("method") || !(answer.find("result") || answer.find("error"))) {
    return std::nullopt;
  }
  std::string_view id = answer.find("id").text();
  if (!id.starts_with(kRequest)) return std::nullopt;
  id.remove_prefix(kRequest.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return number;
}

std::string write_answer_of_agent(JsonValue answer, std::string_view id_json, std::uint64_t number,
                                  bool is_proxied) {
  if (const JsonValue error = answer.find("error")) return write_error_of_agent(id_json, error);
  const JsonValue result = answer.find("result");
  return is_proxied ? write_inner_answer(id_json, number, result)
                    : write_tool_result(id_json, result);
}

std::optional<std::string> refuse_by_agent(const AgentIdentity& identity, const AgentCall& call,
                                           std::string_view id_json) {
  const Bytes bytes{call.arguments};
  JsonDocument document;
  const AgentObjection objection =
      find_objection(identity, {.tool = call.full_tool,
                                .own_tool = call.tool,
                                .arguments = document.read(bytes).value_or(JsonValue()),
                                .is_approved = !call.approved_by.empty()});
  if (objection == AgentObjection::none) return std::nullopt;
  JsonMembers data;
  if (objection == AgentObjection::approval) {
    data.add("policy_rule", fmt::format("{}_requires_approval", call.tool));
    data.add("remediation", "Write a rule with effect = \"require_approval\" for this tool.");
    return error_of_agent(id_json, kSecurityViolation,
                          "Security Violation: Action requires HITL Approval.",
                          std::move(data).text());
  }
  data.add("policy_rule", "blocked_commands");
  data.add("remediation", "The agent's own policy blocks it.");
  return error_of_agent(id_json, kSecurityViolation, "Security Violation: The command is blocked.",
                        std::move(data).text());
}

std::string write_agent_tools(const Config& config, const ServerConfig& server) {
  std::string tools = R"({"tools":[)";
  for (const ToolProfile& profile : config.tools) {
    const auto tool = exact_tool_of(profile, server.name);
    if (!tool.has_value() || profile.schema.empty()) continue;
    const Bytes bytes{profile.schema};
    JsonDocument document;
    const auto schema = document.read(bytes);
    if (!schema.has_value()) continue;
    JsonMembers entry;
    entry.add("name", *tool);
    if (const JsonValue words = schema->find("description"); words.is(JsonType::string)) {
      entry.add("description", words.text());
    }
    entry.add_raw("inputSchema", input_schema(*schema));
    if (tools.back() != '[') tools += ',';
    tools += std::move(entry).text();
  }
  return tools + "]}";
}

}  // namespace bartizan
