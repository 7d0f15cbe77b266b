// Requests to a Fabricore endpoint: agents, their orchestrator, and HTTP.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gateway/call/handle_call.h"
#include "gateway/catalogue/naming.h"
#include "gateway/client/agent_client.h"
#include "gateway/client/mcp_request.h"
#include "gateway/dialect/fabricore_answer.h"
#include "gateway/runtime/clock.h"
#include "policy/predicate/conditions.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_members.h"

namespace bartizan {
namespace {

constexpr std::string_view kDetails = "details";
constexpr std::string_view kCommand = "command";
/// The most bytes of an agent's message before it is known.
constexpr std::size_t kIdentityBytesMax = std::size_t{32} << 10;

/// `ID` and `details` of `/ID/details`.
struct AgentPath {
  std::string_view id;
  std::string_view part;  ///< Empty for `/ID`.
};

/// Reads the path of an agent; nothing for any other path.
std::optional<AgentPath> read_agent_path(std::string_view path) {
  if (path.empty()) return AgentPath{};
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  if (slash == 0 || path.empty()) return std::nullopt;
  if (slash == std::string_view::npos) return AgentPath{.id = path, .part = {}};
  const std::string_view part = path.substr(slash + 1);
  if (part != kDetails && part != kCommand) return std::nullopt;
  return AgentPath{.id = path.substr(0, slash), .part = part};
}

std::string listed_agent(const ServerConfig& server, const AgentLinkPtr& link) {
  JsonMembers agent;
  agent.add("agent_id", server.agent->id).add("name", server.name);
  agent.add("status", link != nullptr ? "online" : "offline");
  if (link == nullptr) return std::move(agent).text();
  agent.add("connected_since", link->posture().since);
  return std::move(agent).text();
}

std::string policy_json(const AgentIdentity& identity) {
  const auto list = [](const auto& entries, auto text_of) {
    std::string json = "[";
    for (const auto& entry : entries) {
      if (json.size() > 1) json += ',';
      append_json_string(json, text_of(entry));
    }
    return json + "]";
  };
  JsonMembers policy;
  policy.add("hitl_enabled", identity.asks_people)
      .add_raw("blocked_commands",
               list(identity.blocked_commands,
                    [](const AgentIdentity::Blocked& entry) { return entry.text; }))
      .add_raw("requires_approval_for",
               list(identity.requires_approval_for, [](const std::string& tool) { return tool; }));
  return std::move(policy).text();
}

std::string detailed_agent(Worker& worker, const ServerConfig& server, const AgentLinkPtr& link) {
  std::string text = listed_agent(server, link);
  if (link == nullptr) return text;
  const AgentIdentity& identity = link->posture().identity;
  const auto shown = [&](const std::string& json) {
    return shown_of_agent(worker, server.name, json);
  };
  JsonMembers more;
  more.add_raw("os_info", shown(identity.os_info))
      .add_raw("capabilities", shown(identity.capabilities))
      .add_raw("mcp_servers", shown(identity.mcp_servers))
      .add_raw("security_policy", shown(policy_json(identity)));
  text.back() = ',';
  return text + std::move(more).text().substr(1);
}

/// The members that mark a request over HTTP as outside any session.
std::string modern_members() {
  JsonMembers info;
  info.add("name", "fabricore").add("version", "0");
  JsonMembers meta;
  meta.add(meta_key::protocol_version, text(kNewestModernVersion))
      .add_raw(meta_key::client_info, std::move(info).text())
      .add_raw(meta_key::client_capabilities, "{}");
  const std::string all = std::move(meta).text();
  return all.substr(1, all.size() - 2);
}

/// Input: `message`, of static storage.
HttpRefusal needs_web_socket(std::string detail, std::string_view message) {
  return {.status = 426,
          .reason = Reason::http_method_not_allowed,
          .detail = std::move(detail),
          .headers = {{"Upgrade", "websocket"}},
          .message = message};
}

}  // namespace

/// The part of the path that names the agent; nothing for the endpoint's own path.
std::optional<std::string_view> McpRequest::agents_path() const {
  const auto found = snapshot_->config.endpoints.find(endpoint_.value_or(""));
  if (found == snapshot_->config.endpoints.end()) return std::nullopt;
  return path_of_agents(found->second, head_.path());
}

/// Whether it opens the connection of an agent: a WebSocket at the endpoint's own path.
bool McpRequest::comes_from_agent() const {
  return protocol() == EndpointConfig::Protocol::fabricore && begins_web_socket() &&
         !agents_path().has_value();
}

/// Refuses requests that an endpoint of another protocol than MCP does not accept.
std::optional<HttpRefusal> McpRequest::check_protocol() const {
  if (protocol() == EndpointConfig::Protocol::groundhog) {
    if (begins_web_socket()) return std::nullopt;
    return needs_web_socket("this endpoint speaks Groundhog, over WebSocket alone",
                            "This endpoint speaks Groundhog, over WebSocket alone.");
  }
  const auto rest = agents_path();
  if (!rest.has_value()) {
    if (begins_web_socket()) return std::nullopt;
    return needs_web_socket("agents connect here by WebSocket",
                            "Agents connect here by WebSocket.");
  }
  const auto path = read_agent_path(*rest);
  if (!path.has_value()) {
    return HttpRefusal{.status = 404, .reason = Reason::http_not_found, .detail = "no such path"};
  }
  const bool is_socket = begins_web_socket() && !path->id.empty() && path->part.empty();
  const bool is_command = path->part == kCommand;
  const bool is_listed = path->id.empty() || path->part == kDetails;
  const bool fits = is_command ? head_.method() == HttpMethod::post
                               : is_listed && head_.method() == HttpMethod::get;
  if (is_socket || (fits && !begins_web_socket())) return std::nullopt;
  return HttpRefusal{.status = 405,
                     .reason = Reason::http_method_not_allowed,
                     .detail =
                         "/agents and details take GET, command takes POST, and an agent's own "
                         "path a WebSocket",
                     .headers = {{"Allow", is_command ? "POST" : "GET"}}};
}

/// Nobody is proved yet. The agent's first message does that, or the connection ends.
Task<bool> McpRequest::serve_agent_socket() {
  AgentTerms terms{.source = connection_.peer().address().source,
                   .network = connection_.peer().address().network,
                   .endpoint = endpoint_.value_or(""),
                   .is_let_in = wire_terms(Transport::web_socket).is_let_in};
  Worker& worker = worker_;
  const std::string network = terms.network;
  if (!worker.gateway.agents.admit_unknown(network)) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::overloaded,
                                           .detail = "too many agents have not identified yet",
                                           .headers = {{"Retry-After", "1"}}});
  }
  const auto timeout = snapshot_->config.session.authentication_timeout;
  auto wire = co_await upgrade({.message_bytes_max = limits::response_bytes_max,
                                .first_message_bytes_max = kIdentityBytesMax,
                                .queue_bytes_max = limits::server_write_queue_bytes_max,
                                .first_message_max = timeout});
  if (wire == nullptr) {
    worker.gateway.agents.end_unknown(network);
    co_return false;
  }
  co_await serve_agent(worker, std::move(terms), std::move(wire));
  co_return false;
}

Task<bool> McpRequest::respond_problem(int status, std::string_view sentence) {
  JsonMembers error;
  error.add("message", sentence);
  JsonMembers body;
  body.add_raw("error", std::move(error).text());
  const std::string text = std::move(body).text();
  co_return co_await connection_.respond(status, "application/json", text, {});
}

/// Whether the caller may use a tool of that agent, now or after an approval.
bool McpRequest::shows_agent(const ServerConfig& server) const {
  if (!server.agent.has_value()) return false;
  const Config& config = snapshot_->config;
  return std::ranges::any_of(config.tools, [&](const ToolProfile& profile) {
    const auto tool = exact_tool_of(profile, server.name);
    return tool.has_value() && !profile.schema.empty() &&
           snapshot_->policy->shows(*caller_.principal, TargetKind::tool, server.name, *tool,
                                    {.now = seconds_now(),
                                     .about = EvalContext::About::any_call,
                                     .method = "tools/call",
                                     .endpoint = endpoint_,
                                     .assumes_approval = true});
  });
}

Task<bool> McpRequest::refuse_agent() {
  co_return co_await connection_.refuse({.status = 404,
                                         .reason = Reason::not_at_endpoint,
                                         .detail = "the caller may use no such agent",
                                         .message = "There is no such agent."});
}

/// Serves a proved caller: a WebSocket to one agent, or HTTP.
Task<bool> McpRequest::serve_agents() {
  const auto path = read_agent_path(agents_path().value_or(""));
  const Config& config = snapshot_->config;
  if (path->id.empty()) {
    std::string body;
    for (const auto& [name, server] : config.servers) {
      if (!shows_agent(server)) continue;
      if (!body.empty()) body += ',';
      body += listed_agent(server, worker_.gateway.agents.find(name));
    }
    body = fmt::format(R"({{"agents":[{}]}})", body);
    co_return co_await connection_.respond(200, "application/json", body, {});
  }
  const ServerConfig* server = find_agent(config, path->id);
  if (server == nullptr || !shows_agent(*server)) co_return co_await refuse_agent();
  if (path->part.empty()) co_return co_await serve_web_socket(server->name);
  if (path->part == kCommand) co_return co_await serve_agent_command(server->name);
  const std::string body =
      detailed_agent(worker_, *server, worker_.gateway.agents.find(server->name));
  co_return co_await connection_.respond(200, "application/json", body, {});
}

/// One call of an agent's tool, judged as the equivalent call of MCP.
Task<bool> McpRequest::serve_agent_command(std::string server) {
  if (auto refusal = check_media()) co_return co_await connection_.refuse(std::move(*refusal));
  Result<Bytes> body = co_await connection_.read_body();
  if (!body.has_value()) {
    if (body.error().code == ErrorCode::closed) co_return false;
    co_return co_await refuse_body(body.error());
  }
  const std::size_t bytes = body->size();
  if (auto refusal = co_await prove_anew()) {
    co_return co_await connection_.refuse(std::move(*refusal));
  }
  const auto found = snapshot_->config.servers.find(server);
  if (found == snapshot_->config.servers.end()) {
    co_return co_await respond_problem(404, "There is no such agent.");
  }
  std::unique_ptr<JsonDocument> document = worker_.loop.lease_document();
  const bool is_object = document->read(*body).value_or(JsonValue()).is(JsonType::object);
  if (!is_object) {
    worker_.loop.give_back(std::move(document));
    co_return co_await connection_.refuse({.status = 400,
                                           .reason = Reason::parse_error,
                                           .detail = "the body is not a JSON object",
                                           .message = "The body must be one JSON object."});
  }
  const bool is_proxied = static_cast<bool>(document->root().find("target_server"));
  // The body is one JSON text, so it cannot escape the text around it.
  Bytes request(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})",
                            is_proxied ? "mcp.proxy" : "tool.execute", body->view()));
  const Result<JsonValue> root = document->read(request);
  auto asked = read_fabricore_request(
      root.value_or(JsonValue()),
      [&found](std::string_view tool) { return exposed_name(found->second, tool); },
      modern_members());
  worker_.loop.give_back(std::move(document));
  if (!asked.has_value()) {
    co_return co_await connection_.refuse({.status = 400,
                                           .reason = Reason::invalid_params,
                                           .detail = asked.error().detail,
                                           .message = asked.error().detail});
  }
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory,
                                    Bytes(std::exchange(asked->message, {})), {});
  if (!receipt.has_value()) {
    co_return co_await respond_problem(400, receipt.error().error.detail);
  }
  if (!worker_.directory->probed && !co_await wait_for_servers(worker_)) {
    co_return co_await respond_problem(503, "No server has answered yet.");
  }
  Arrival coming = arrival(bytes);
  coming.head = nullptr;
  coming.session_id.clear();
  auto admitted = admit_message(worker_, std::move(*receipt), std::move(coming));
  if (!admitted.has_value()) {
    co_return co_await respond_problem(http_status(admitted.error().code), admitted.error().detail);
  }
  auto reply = make_reply();
  Loop& home = admitted->home->loop;
  const bool posted = home.post([&home, call = std::move(*admitted),
                                 route = ReplyRoute(worker_.loop, reply)]() mutable {
    begin_call(std::move(call), begin_exchange(home, StreamPreference::never, std::move(route)));
  });
  if (!posted) co_return co_await refuse_busy();
  co_await wait_for_end(reply, Era::modern);
  const Answer& answer = *reply->answer();
  const FabricoreResponse response = write_fabricore_response(answer.message, *asked);
  co_return co_await connection_.respond(response.status, "application/json", response.body, {});
}

}  // namespace bartizan
