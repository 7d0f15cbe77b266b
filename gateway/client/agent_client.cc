#include "gateway/client/agent_client.h"

#include <openssl/crypto.h>

#include <utility>

#include <fmt/format.h>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/redact_text.h"
#include "schemas/base/contains.h"
#include "schemas/base/secret_text.h"
#include "schemas/base/sha256.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// Neither JSON-RPC nor Fabricore's document has a code for it.
constexpr int kNotIdentified = -32001;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr std::string_view kTransport = "websocket";

bool is_token(const AgentConfig& agent, std::string_view token) {
  const std::string digest = sha256_hex(token);
  return digest.size() == agent.token_sha256.size() &&
         CRYPTO_memcmp(digest.data(), agent.token_sha256.data(), digest.size()) == 0;
}

bool is_shown_at(const Config& config, std::string_view endpoint, const std::string& server) {
  const auto found = config.endpoints.find(endpoint);
  return found != config.endpoints.end() &&
         (found->second.servers.empty() || contains(found->second.servers, server));
}

}  // namespace

const ServerConfig* find_agent(const Config& config, std::string_view agent_id) {
  for (const auto& [name, server] : config.servers) {
    if (server.agent.has_value() && server.agent->id == agent_id) return &server;
  }
  return nullptr;
}

AgentClient::AgentClient(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire)
    : worker_(worker), terms_(std::move(terms)), wire_(std::move(wire)) {}

Task<void> AgentClient::run() {
  if (co_await identify()) {
    while (true) {
      Result<Bytes> text = co_await wire_->next();
      if (!text.has_value() && !goes_on(text.error())) break;
      if (!text.has_value()) continue;
      std::unique_ptr<JsonDocument> document = worker_.loop.lease_document();
      const Result<JsonValue> message = document->read(*text, kResponseLimits);
      if (message.has_value()) {
        take(*message);
      } else {
        note(Reason::parse_error, "the agent sent a message that is not strict JSON");
      }
      worker_.loop.give_back(std::move(document));
    }
    worker_.gateway.agents.remove(*link_);
    link_->end();
    log(LogLevel::info, "agent gone", {{"server", link_->server()}, {"source", terms_.source}});
    if (worker_.gateway.look_again) worker_.gateway.look_again(link_->server());
  }
  wire_->close("the connection is over");
}

Task<bool> AgentClient::identify() {
  Result<Bytes> text = co_await wire_->next();
  worker_.gateway.agents.end_unknown(terms_.network);
  if (!text.has_value()) {
    note(Reason::unauthenticated, "no agent.identify came");
    co_return false;
  }
  // Not one of the loop's, in which the token would remain.
  JsonDocument document;
  const Result<JsonValue> message = document.read(*text);
  auto identity = message.has_value()
                      ? read_agent_identity(*message)
                      : std::unexpected(std::string("the first message is not strict JSON"));
  std::string bytes = std::move(*text).release();
  wipe(bytes.data(), bytes.size());
  if (identity.has_value()) co_return take_identity(*std::move(identity));
  note(Reason::invalid_request, identity.error());
  wire_->write(write_error("null", kInvalidRequest, identity.error()));
  co_return false;
}

/// A wrong token gets the same refusal as a wrong id.
bool AgentClient::take_identity(AgentIdentity identity) {
  const Config& config = worker_.snapshot->config;
  const ServerConfig* server = find_agent(config, identity.agent_id);
  const bool is_known = server != nullptr && is_token(*server->agent, identity.token);
  wipe(identity.token.data(), identity.token.size());
  identity.token.clear();
  const std::string id_json = identity.id_json;
  if (worker_.gateway.draining) {
    return refuse_identity(id_json, Reason::shutting_down, "the gateway is stopping");
  }
  if (!is_known) {
    return refuse_identity(
        id_json, Reason::credentials_invalid,
        server == nullptr ? "no server has this agent_id" : "the token is not the agent's");
  }
  if (!is_shown_at(config, terms_.endpoint, server->name)) {
    return refuse_identity(id_json, Reason::not_at_endpoint,
                           "the agent belongs to another endpoint");
  }
  link_ =
      std::make_shared<AgentLink>(worker_.loop, wire_, server->name,
                                  AgentLink::Posture{.identity = std::move(identity),
                                                     .token_sha256 = server->agent->token_sha256,
                                                     .source = terms_.source,
                                                     .since = seconds_now()});
  if (!worker_.gateway.agents.add(link_)) {
    link_ = nullptr;
    return refuse_identity(id_json, Reason::credentials_invalid, "the agent is connected already");
  }
  record_inventory();
  wire_->write(write_result(id_json, R"({"status":"identified"})"));
  log(LogLevel::info, "agent connected", {{"server", link_->server()}, {"source", terms_.source}});
  if (worker_.gateway.look_again) worker_.gateway.look_again(link_->server());
  return true;
}

/// Always false: the connection ends.
bool AgentClient::refuse_identity(std::string_view id_json, Reason reason,
                                  std::string_view detail) {
  note(reason, detail);
  wire_->write(write_error(id_json, kNotIdentified, "The agent is not accepted here."));
  return false;
}

/// Records the agent's inventory, which decides nothing.
void AgentClient::record_inventory() {
  const AgentIdentity& identity = link_->posture().identity;
  const std::string detail =
      fmt::format("agent.identify: os_info {}, mcp_servers {}",
                  shown_of_agent(worker_, link_->server(), identity.os_info),
                  shown_of_agent(worker_, link_->server(), identity.mcp_servers));
  const DecisionId id = worker_.next_decision_id();
  Record record{.kind = RecordKind::server, .time = system_now()};
  record.decision_id = id.view();
  record.principal = "gateway";
  record.source = terms_.source;
  record.transport = kTransport;
  record.endpoint = terms_.endpoint;
  record.server = link_->server();
  record.detail = detail;
  worker_.recorder.note(record);
}

/// Handles a message of the agent: the response to a call, or another one. Notifications are
/// ignored.
void AgentClient::take(JsonValue message) {
  if (link_->take_answer(message)) return;
  const JsonValue method = message.find("method");
  const JsonValue id = message.find("id");
  if (!method || !id) return;
  if (method.text() == "agent.identify") {
    note(Reason::invalid_request, "a second agent.identify");
    return wire_->write(
        write_error(id.raw(), kInvalidRequest, "This connection has identified itself already."));
  }
  wire_->write(write_error(id.raw(), kMethodNotFound, "Agents cannot send requests."));
}

void AgentClient::note(Reason reason, std::string_view detail) {
  if (!worker_.gateway.refusals.admit_address(terms_.network, steady_now())) return;
  const DecisionId id = worker_.next_decision_id();
  Record record{.kind = RecordKind::refusal, .time = system_now()};
  record.decision_id = id.view();
  record.source = terms_.source;
  record.transport = kTransport;
  record.endpoint = terms_.endpoint;
  if (link_ != nullptr) record.server = link_->server();
  record.decision = "deny";
  record.reason = text(reason);
  record.category = text(category(reason));
  record.detail = detail;
  worker_.recorder.note(record);
  log(LogLevel::warning, "agent refused",
      {{"source", terms_.source},
       {"detail", std::string(detail)},
       {"decision", std::string(id.view())}});
}

void AgentClient::drain() {
  wire_->stop_reading();
}

void AgentClient::review() {
  const SnapshotPtr& snapshot = worker_.snapshot;
  const auto is_same = [this](const Config& config) {
    if (link_ == nullptr) return true;
    const ServerConfig* server = find_agent(config, link_->posture().identity.agent_id);
    return server != nullptr && server->name == link_->server() &&
           server->agent->token_sha256 == link_->posture().token_sha256 &&
           is_shown_at(config, terms_.endpoint, server->name);
  };
  if (terms_.is_let_in(snapshot) && is_same(snapshot->config)) return;
  wire_->close("the agent is not accepted here any more");
  wire_->stop_reading();
}

std::string shown_of_agent(Worker& worker, std::string_view server, const std::string& json) {
  const RedactionScope scope{
      .carrier = Carrier::notifications, .server = server, .now = seconds_now()};
  return redact_json(worker, *worker.snapshot->policy, scope, json).left.value_or("null");
}

Task<void> serve_agent(Worker& worker, AgentTerms terms, std::shared_ptr<StreamWire> wire) {
  AgentClient client(worker, std::move(terms), wire);
  worker.agent_clients.insert(&client);
  co_await client.run();
  worker.agent_clients.erase(&client);
  co_await wire->ended();
}

}  // namespace bartizan
