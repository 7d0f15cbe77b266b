#include <utility>

#include "gateway/call_steps.h"
#include "policy/check_features.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

/// Of a server that wants its users sent somewhere first. Source: MCP 2025-11-25, schema,
/// "URLElicitationRequiredError".
constexpr std::int64_t kUrlElicitationRequired = -32042;

/// The request that a client is asked to take as one, as a message of its own.
std::string request_text(std::string_view method, JsonValue params) {
  std::string text = R"({"jsonrpc":"2.0","id":0,"method":)";
  append_json_string(text, method);
  if (params) text += R"(,"params":)" + std::string(params.raw());
  return text + "}";
}

/// Every request that an answer brings, in its order.
std::vector<std::string> requests_in(const Message& answer) {
  std::vector<std::string> requests;
  for (const JsonValue entry : answer.result.find("inputRequests"))
    requests.push_back(request_text(entry.find("method").text(), entry.find("params")));
  if (answer.error.find("code").integer() != kUrlElicitationRequired) return requests;
  for (const JsonValue url : answer.error.find("data").find("elicitations"))
    requests.push_back(request_text("elicitation/create", url));
  return requests;
}

bool has_declared(const CallFrame& frame, ClientFeature feature) {
  if (frame.inbound.era == Era::legacy) {
    return frame.session != nullptr && frame.session->client_features.contains(feature);
  }
  const JsonValue declared = frame.message().meta.find(meta_key::client_capabilities);
  for (const auto& [name, known] : kClientFeatureNames) {
    if (known == feature) return static_cast<bool>(declared.find(name));
  }
  return false;
}

Task<Decision> judge_request(CallFrame& frame, std::string text) {
  Bytes bytes(std::move(text));
  auto document = frame.worker.loop.lease_document();
  const Result<JsonValue> root = document->read(bytes, kResponseLimits);
  const Result<Message> message =
      root.has_value() ? parse_message(*root) : std::unexpected(root.error());
  if (!message.has_value()) {
    frame.worker.loop.give_back(std::move(document));
    co_return Decision::deny(Reason::server_failed);
  }
  Call call{.direction = Direction::server_to_client,
            .era = frame.inbound.era,
            .version = frame.inbound.version,
            .principal = &frame.principal(),
            .message = *message,
            .bytes = std::move(bytes),
            .server = frame.call.server};
  call.facts.now = seconds_now();
  call.facts.transport = frame.call.facts.transport;
  call.facts.client_address = frame.call.facts.client_address;
  call.facts.is_input_request = true;
  const auto feature = needed_feature(message->known->id);
  call.facts.client_declared_feature = feature.has_value() && has_declared(frame, *feature);
  const Verdict verdict = frame.policy().judge(call);
  const auto* denial = std::get_if<Denial>(&verdict);
  const Judgement judgement = denial == nullptr ? Judgement{.decision = "permit"}
                                                : Judgement{.decision = "deny",
                                                            .reason = denial->decision.reason,
                                                            .rule = denial->decision.rule_name(),
                                                            .check = denial->check};
  const Result<void> recorded =
      co_await record_server_request(frame, *message, frame.worker.next_decision_id(), judgement);
  Decision decision = denial == nullptr ? Decision::pass() : denial->decision;
  // A refusal is one also where it cannot be recorded.
  if (!recorded.has_value() && !decision.denies()) {
    decision = Decision::deny(Reason::not_recordable);
  }
  frame.worker.loop.give_back(std::move(document));
  co_return decision;
}

}  // namespace

Task<Decision> judge_input_requests(CallFrame& frame, const Message& answer) {
  std::vector<std::string> requests = requests_in(answer);
  if (requests.size() > limits::input_requests_max) {
    co_return Decision::deny(Reason::client_feature_not_allowed);
  }
  for (std::string& request : requests) {
    Decision decision = co_await judge_request(frame, std::move(request));
    if (decision.denies()) co_return decision;
  }
  co_return Decision::pass();
}

}  // namespace bartizan
