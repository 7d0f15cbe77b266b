#include "gateway/client/admit_message.h"

#include <utility>

#include "gateway/call/batch.h"
#include "gateway/call/handle_call.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/classify.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// A client's first moments are often the servers' too.
constexpr std::chrono::milliseconds kProbePoll{50};

using Refused = std::unexpected<MessageRefusal>;

MirroredHeaders mirrored(const RequestHead& head) {
  MirroredHeaders headers{.protocol_version = head.find(KnownHeader::mcp_protocol_version),
                          .method = head.find(KnownHeader::mcp_method),
                          .name = head.find(KnownHeader::mcp_name)};
  constexpr std::size_t prefix = std::string_view("mcp-param-").size();
  for (const HeaderField& field : head.fields().all()) {
    if (field.known == KnownHeader::mcp_param) {
      headers.params.emplace_back(field.name.substr(prefix), field.value);
    }
  }
  return headers;
}

/// A refusal by the protocol, the same for every transport.
Refused refused(ErrorCode code, std::string detail, std::string id_json,
                std::string data_json = {}) {
  return Refused({.cause = MessageRefusal::Cause::protocol,
                  .reason = protocol_reason(code),
                  .code = code,
                  .detail = std::move(detail),
                  .id_json = std::move(id_json),
                  .data_json = std::move(data_json)});
}

/// The worker of a message; null for a session that no worker issued.
Worker* home_of(Worker& worker, const Inbound& inbound) {
  const bool is_named = kind_of(inbound.transport).names_session && inbound.era == Era::legacy &&
                        !inbound.session_id.empty();
  return is_named ? home_of_session(worker.gateway, inbound.session_id) : &worker;
}

std::unique_ptr<Inbound> make_inbound(ReceivedMessage&& received, Classified classified,
                                      Arrival&& arrival) {
  auto inbound = std::make_unique<Inbound>(Inbound{.received = std::move(received),
                                                   .era = classified.era,
                                                   .version = classified.version,
                                                   .snapshot = std::move(arrival.snapshot),
                                                   .caller = std::move(arrival.caller),
                                                   .source = std::move(arrival.source),
                                                   .transport = arrival.transport,
                                                   .bytes = arrival.bytes,
                                                   .answers_only = arrival.answers_only,
                                                   .received_at = steady_now()});
  if (classified.era == Era::legacy) {
    inbound->session_id = std::move(arrival.session_id);
  } else if (arrival.head != nullptr) {
    // The call may outlive its request, or be on another worker, so it shares the head.
    inbound->headers = mirrored(*arrival.head);
    inbound->head = std::move(arrival.head);
  }
  return inbound;
}

std::expected<Admitted, MessageRefusal> at_home(Worker& worker, Admitted&& admitted,
                                                std::string id_json) {
  admitted.home = home_of(worker, *admitted.inbound);
  if (admitted.home != nullptr) return std::move(admitted);
  return Refused({.reason = Reason::session_unknown,
                  .code = ErrorCode::not_found,
                  .detail = "no such session",
                  .id_json = std::move(id_json)});
}

Refused without_session(std::string id_json) {
  return Refused({.reason = Reason::session_missing, .id_json = std::move(id_json)});
}

/// A batch of the only revision that has them. Each element is a call of its own.
std::expected<Admitted, MessageRefusal> admit_batch(Worker& worker, const ReceivedMessage& received,
                                                    Arrival&& arrival) {
  if (!arrival.agreed.has_value() || !allows_batches(*arrival.agreed)) {
    return refused(ErrorCode::invalid_request, "batches are of 2025-03-26 only", "");
  }
  auto elements = read_batch(worker.loop, received.document->root(),
                             worker.snapshot->config.client.null_members);
  if (!elements.has_value()) {
    RefusedMessage& element = elements.error();
    return refused(element.error.code, std::move(element.error.detail), std::move(element.id_json));
  }
  if (arrival.session_id.empty()) return without_session("");
  const Classified classified{.era = Era::legacy, .version = *arrival.agreed};
  return at_home(worker,
                 {.inbound = make_inbound({}, classified, std::move(arrival)),
                  .elements = std::move(*elements)},
                 "");
}

}  // namespace

Worker* home_of_session(const Gateway& gateway, std::string_view id) {
  const auto home = session_home(id);
  if (!home.has_value() || *home >= gateway.workers.size()) return nullptr;
  return gateway.workers[*home].get();
}

std::expected<Admitted, MessageRefusal> admit_message(Worker& worker, ReceivedMessage&& received,
                                                      Arrival&& arrival) {
  if (worker.gateway.draining.load(std::memory_order_relaxed)) {
    return Refused({.reason = Reason::shutting_down,
                    .code = ErrorCode::overloaded,
                    .detail = "the gateway is stopping"});
  }
  if (arrival.caller.principal == nullptr) {
    const JsonValue id = received.message.id;
    return Refused({.reason = arrival.unproved.reason,
                    .detail = std::move(arrival.unproved.detail),
                    .id_json = std::string(id ? id.raw() : std::string_view())});
  }
  if (received.is_batch()) return admit_batch(worker, received, std::move(arrival));
  const Message& message = received.message;
  std::string id(message.id.raw());
  const TransportKind& transport = kind_of(arrival.transport);
  const auto classified =
      transport.has_headers && arrival.head != nullptr
          ? classify(message, arrival.head->find(KnownHeader::mcp_protocol_version))
          : classify_without_headers(message);
  if (!classified.has_value()) {
    const Unclassified& error = classified.error();
    return refused(error.code, error.message, std::move(id), error.data_json);
  }
  const Era era = classified->era;
  const bool begins = era == Era::legacy && message.known->id == MethodId::initialize;
  if (era == Era::legacy && !begins && arrival.session_id.empty()) {
    return without_session(std::move(id));
  }
  // A message that names its session may begin another one.
  if (begins && !transport.names_session && !arrival.session_id.empty()) {
    return Refused({.reason = Reason::invalid_request,
                    .detail = "the session has begun already",
                    .id_json = std::move(id)});
  }
  return at_home(worker,
                 {.inbound = make_inbound(std::move(received), *classified, std::move(arrival))},
                 std::move(id));
}

Task<bool> wait_for_servers(Worker& worker) {
  Signal pause(worker.loop);
  const auto deadline = coarse_now() + limits::server_start_deadline;
  while (!worker.directory->probed && coarse_now() < deadline)
    co_await pause.wait(kProbePoll);
  co_return worker.directory->probed;
}

void begin_call(Admitted&& admitted, std::shared_ptr<Exchange> exchange) {
  Worker& home = *admitted.home;
  if (!admitted.elements.empty()) {
    return handle_batch(home, std::move(*admitted.inbound), std::move(admitted.elements),
                        std::move(exchange));
  }
  spawn(home.loop, handle_call(home, std::move(admitted.inbound), std::move(exchange)));
}

}  // namespace bartizan
