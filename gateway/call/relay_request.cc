#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "policy/check/check_features.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// An instance of a server's, and its beginning in which it asked.
struct Asker {
  const UpstreamHandle& upstream;
  const std::shared_ptr<BridgedCall>& bridge;
  std::uint64_t asked_in;
  std::string_view id;  ///< Of its request.
};

void answer_server(const Asker& asker, GatewayMessage kind, std::string message) {
  const auto& [upstream, bridge, asked_in, id] = asker;
  if (bridge != nullptr) return bridge->refuse(id);
  // A modern server may not ask, and clients may not answer it. Source: MCP 2026-07-28, patterns.
  if (upstream.key().era == Era::modern) return;
  // An overloaded worker takes nothing more: the server then waits in vain, as for a silent client.
  static_cast<void>(upstream.tell(Permit::own(kind, std::move(message)), asked_in));
}

/// The server's request of that number that the client has not answered yet, or null.
ServerRequest* find_unanswered(const CallFrame& frame, std::uint64_t number) {
  if (frame.session == nullptr) return nullptr;
  const auto found = frame.session->server_requests.find(number);
  const bool is_open = found != frame.session->server_requests.end() && !found->second.is_answered;
  return is_open ? &found->second : nullptr;
}

}  // namespace

DeclaredFeatures frame_features(const CallFrame& frame) {
  const Session* const session = frame.session.get();
  return session == nullptr ? frame.rewrites.client_features : session->client_features;
}

Call server_call(const CallFrame& frame, const Message& message, SealedBytes bytes,
                 const DeclaredFeatures& declared) {
  Call call{.direction = Direction::server_to_client,
            .era = frame.inbound.era,
            .version = frame.inbound.version,
            .principal = &frame.principal(),
            .message = message,
            .bytes = std::move(bytes),
            .server = frame.call.server};
  call.facts.now = seconds_now();
  call.facts.transport = frame.call.facts.transport;
  call.facts.client_address = frame.call.facts.client_address;
  call.facts.client_declared_feature = has_declared(declared, message);
  return call;
}

Task<Result<void>> record_server_request(CallFrame& frame, const Message& request,
                                         const DecisionId& id, const Judgement& judgement) {
  const ServerRequest told{.upstream = {},
                           .bridge = {},
                           .server = std::string(frame.call.server),
                           .id_json = {},
                           .decision_id = id,
                           .method = request.method};
  Record record = server_request_record(frame, RecordKind::decision, told);
  const std::string digest =
      KeyedDigest::hex(frame.worker.gateway.digest.digest(request.root.raw()));
  record.message_digest = digest;
  record.decision = judgement.decision;
  if (judgement.reason != Reason::none) {
    record.reason = text(judgement.reason);
    record.category = text(category(judgement.reason));
  }
  record.rule = judgement.rule;
  record.check = judgement.check;
  co_return co_await frame.worker.recorder.commit(record);
}

Task<void> relay_server_request(CallFrame& frame, ServerRoute server, ReceivedMessage received) {
  const Message message = received.message;
  const std::string id(message.id.raw());
  const auto& [upstream, bridge] = server;
  const Asker asker{
      .upstream = upstream, .bridge = bridge, .asked_in = frame.pending->beginning(), .id = id};
  if (message.known->id == MethodId::ping && frame.inbound.era == Era::legacy) {
    co_return answer_server(asker, GatewayMessage::ping_answer, write_result(id, "{}"));
  }
  Call call =
      server_call(frame, message, SealedBytes(std::move(received.bytes)), frame_features(frame));
  const DecisionId decision_id = frame.worker.next_decision_id();
  Verdict verdict = frame.policy().judge(call);
  if (const auto* denial = std::get_if<Denial>(&verdict)) {
    const std::string refusal = write_error(id, -32601, message_of(denial->decision.reason));
    if (++frame.findings.refused_requests > kRefusedSinglyMax) {
      frame.worker.upstream_events.dropped(upstream.key(), "request_flood");
      co_return answer_server(asker, GatewayMessage::refusal, refusal);
    }
    co_await record_server_request(frame, message, decision_id,
                                   {.decision = "deny",
                                    .reason = denial->decision.reason,
                                    .rule = denial->decision.rule_name(),
                                    .check = denial->check});
    co_return answer_server(asker, GatewayMessage::refusal, refusal);
  }
  if (frame.session->server_requests.size() >= limits::stream_queue_messages_max) {
    // A server may ask for ever what no client answers.
    frame.worker.upstream_events.dropped(upstream.key(), "request_flood");
    co_return answer_server(asker, GatewayMessage::refusal,
                            write_error(id, -32603, "too many requests at once"));
  }
  const Permit permit = std::move(std::get<Permit>(verdict));
  const Result<void> recorded = co_await record_server_request(
      frame, message, decision_id,
      {.decision = "permit",
       .rule = permit.rule() == nullptr ? std::string_view() : permit.rule()->name});
  if (!recorded.has_value()) {
    co_return answer_server(asker, GatewayMessage::refusal,
                            write_error(id, -32603, message_of(Reason::not_recordable)));
  }
  std::vector<ToolLabel> labels = frame.policy().labels(frame.call);
  const std::uint64_t number = ++frame.session->last_server_request;
  frame.session->server_requests.emplace(number,
                                         ServerRequest{.upstream = upstream,
                                                       .bridge = bridge,
                                                       .asked_in = asker.asked_in,
                                                       .server = std::string(frame.call.server),
                                                       .id_json = id,
                                                       .decision_id = decision_id,
                                                       .method = message.known->name,
                                                       .labels = labels});
  frame.server_requests.push_back(number);
  std::string wire;
  append_spliced(wire, permit.bytes(),
                 {{SpliceKind::request_id, message.id.range(), std::to_string(number)}});
  frame.worker.loop.give_back(std::move(received.document));
  frame.exchange->send_about(
      std::move(wire),
      {.server = std::string(frame.call.server), .method = message.known->id, .request = number});
}

Task<void> withhold_server_request(CallFrame& frame, ServerRoute server, const Message& request) {
  constexpr Reason reason = Reason::content_withheld;
  const std::string id(request.id.raw());
  const Asker asker{.upstream = server.upstream,
                    .bridge = server.bridge,
                    .asked_in = frame.pending->beginning(),
                    .id = id};
  const std::string refusal = write_error(id, -32603, message_of(reason));
  if (++frame.findings.refused_requests > kRefusedSinglyMax) {
    frame.worker.upstream_events.dropped(server.upstream.key(), "request_flood");
  } else {
    co_await record_server_request(frame, request, frame.worker.next_decision_id(),
                                   {.decision = "deny", .reason = reason, .check = "redaction"});
  }
  answer_server(asker, GatewayMessage::refusal, refusal);
}

Task<void> pass_answer(CallFrame& frame) {
  const auto number = frame.message().id.integer();
  const auto key = static_cast<std::uint64_t>(number.value_or(0));
  ServerRequest* request = find_unanswered(frame, key);
  frame.call.facts.names_own_pending_request = request != nullptr;
  if (request == nullptr) {
    Verdict verdict = frame.policy().judge(frame.call);
    if (auto* denial = std::get_if<Denial>(&verdict)) {
      co_return co_await refuse_call(frame, std::move(*denial));
    }
    co_return co_await refuse_call(frame, Reason::not_pending);
  }
  const ServerRequest answered = *request;
  frame.call.server = answered.server;
  const ByteRange id = frame.message().id.range();
  const bool is_error = frame.message().kind == MessageKind::error_response;
  Verdict verdict = frame.policy().judge(frame.call);
  if (auto* denial = std::get_if<Denial>(&verdict)) {
    co_return co_await refuse_call(frame, std::move(*denial));
  }
  // What was read since the call began may be in the answer.
  Decision flow = judge_flow(frame, answered.labels);
  if (flow.denies()) {
    frame.session->server_requests.erase(key);
    Record refused = server_request_record(frame, RecordKind::outcome, answered);
    refused.outcome = Outcome::denied;
    refused.reason = text(flow.reason);
    co_await frame.worker.recorder.commit(refused);
    answer_server({answered.upstream, answered.bridge, answered.asked_in, answered.id_json},
                  GatewayMessage::refusal,
                  write_error(answered.id_json, -32603, message_of(flow.reason)));
    co_return co_await refuse_call(frame, {"flows", std::move(flow)});
  }
  Permit permit = std::move(std::get<Permit>(verdict));
  // Marked before the record is committed, so that a second answer finds nothing.
  request->is_answered = true;
  Record record = server_request_record(frame, RecordKind::outcome, answered);
  record.outcome = is_error ? Outcome::error : Outcome::success;
  record.bytes_in = frame.inbound.bytes;
  const Result<void> recorded = co_await frame.worker.recorder.commit(record);
  // The call may have ended meanwhile, and what it asked with it.
  const auto still = frame.session->server_requests.find(key);
  const bool is_there = still != frame.session->server_requests.end();
  if (!recorded.has_value()) {
    // The client can answer again.
    if (is_there) still->second.is_answered = false;
    co_return co_await refuse_call(frame, Reason::not_recordable);
  }
  // By the same id a server that has begun anew may ask another client meanwhile.
  if (is_there) {
    frame.session->server_requests.erase(still);
    if (answered.bridge != nullptr) {
      answered.bridge->answer(answered.id_json, std::move(permit));
    } else {
      permit.splice(SpliceKind::request_id, id, answered.id_json);
      answered.upstream.answer(std::move(permit), answered.asked_in);
    }
  }
  frame.exchange->finish({});
}

}  // namespace bartizan
