#include "gateway/upstream/agent_wire.h"

#include <utility>

#include "gateway/runtime/version.h"
#include "schemas/base/limits.h"
#include "schemas/json/json_members.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;

std::string write_introduction(std::string_view id_json, JsonValue params) {
  JsonMembers info;
  info.add("name", "fabricore-agent").add("version", "0");
  JsonMembers result;
  const JsonValue version = params.find("protocolVersion");
  result.add("protocolVersion", version.text())
      .add_raw("capabilities", R"({"tools":{}})")
      .add_raw("serverInfo", std::move(info).text());
  return write_result(id_json, std::move(result).text());
}

}  // namespace

AgentWire::AgentWire(Loop& loop, ServerDefinitionPtr definition, AgentLinkPtr link)
    : AgentCaller(loop), definition_(std::move(definition)), link_(std::move(link)), news_(loop) {}

Task<Result<Bytes>> AgentWire::next() {
  const auto self = shared_from_this();
  while (messages_.empty() && !is_over_)
    co_await news_.wait(limits::stream_keep_alive);
  if (messages_.empty()) {
    co_return fail(ErrorCode::closed, Fault::server, "the agent is not connected any more");
  }
  std::string message = std::move(messages_.front());
  messages_.pop_front();
  co_return Bytes(std::move(message));
}

void AgentWire::write(std::string message) {
  if (is_over_) return;
  const Bytes bytes(std::move(message));
  JsonDocument document;
  const JsonValue sent = document.read(bytes).value_or(JsonValue());
  const JsonValue id = sent.find("id");
  const std::string_view method = sent.find("method").text();
  if (!id) {
    // The agent has no message for it, so its answer, if it comes, is nobody's.
    if (method == "notifications/cancelled" && link_ != nullptr) {
      link_->forget(this, std::string(sent.find("params").find("requestId").raw()));
    }
    return;
  }
  const std::string_view id_json = id.raw();
  if (method == "initialize") return take(write_introduction(id_json, sent.find("params")));
  if (method == "ping") return take(write_result(id_json, "{}"));
  if (method == "tools/list") return take(write_result(id_json, definition_->agent_tools));
  if (method == "tools/call") return call(sent, id_json);
  take(write_error(id_json, kMethodNotFound, "An agent has tools only."));
}

void AgentWire::call(JsonValue message, std::string_view id_json) {
  const auto call = read_agent_call(*definition_->config.agent, message.find("params"));
  if (!call.has_value()) return take(write_error(id_json, kInvalidParams, "The tool has no name."));
  if (link_ == nullptr) {
    return take(write_error(id_json, kInternalError, "The agent is not connected."));
  }
  if (auto refusal = refuse_by_agent(link_->posture().identity, *call, id_json)) {
    return take(*std::move(refusal));
  }
  const std::uint64_t number = link_->next_number();
  link_->send(write_agent_request(*call, number), number, !call->target_server.empty(),
              std::string(id_json), weak_from_this());
}

void AgentWire::take(std::string message) {
  if (is_over_) return;
  messages_.push_back(std::move(message));
  news_.notify();
}

void AgentWire::on_gone() {
  if (std::exchange(is_over_, true)) return;
  news_.notify();
  if (broken_) std::exchange(broken_, nullptr)("the agent is gone");
}

void AgentWire::stop_reading() {
  is_over_ = true;
  news_.notify();
}

void AgentWire::close(std::string_view /*why*/) {
  broken_ = nullptr;
  stop_reading();
}

Task<Result<std::shared_ptr<MessageWire>>> open_agent_wire(Loop& loop, const AgentLinks* links,
                                                           ServerDefinitionPtr definition) {
  AgentLinkPtr link;
  if (links != nullptr) {
    link = links->find(definition->config.name);
    const AgentConfig& agent = *definition->config.agent;
    // Until a reload has ended its connection, it may be one that is not taken any more.
    const bool is_this = link != nullptr && link->posture().identity.agent_id == agent.id &&
                         link->posture().token_sha256 == agent.token_sha256;
    if (!is_this) {
      co_return fail(ErrorCode::io_failed, Fault::server, "the agent is not connected");
    }
  }
  auto wire = std::make_shared<AgentWire>(loop, std::move(definition), link);
  if (link != nullptr) link->attach(wire);
  co_return wire;
}

}  // namespace bartizan
