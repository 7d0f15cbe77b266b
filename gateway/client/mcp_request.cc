#include "gateway/client/mcp_request.h"

#include <utility>

#include "gateway/call/batch.h"
#include "gateway/call/handle_call.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/classify.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// A client's first moments are often the servers' too.
constexpr std::chrono::milliseconds kProbePoll{50};

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

}  // namespace

McpRequest::McpRequest(Connection& connection)
    : connection_(connection),
      worker_(connection.worker_),
      head_(*connection.head_),
      snapshot_(connection.worker_.snapshot) {}

Task<bool> McpRequest::serve() {
  if (auto refusal = check_source()) return connection_.refuse(std::move(*refusal));
  if (head_.method() == HttpMethod::options) return preflight();
  if (auto refusal = check_request()) return connection_.refuse(std::move(*refusal));
  if (auto refusal = authenticate()) return connection_.refuse(std::move(*refusal));
  connection_.authenticated_ = true;
  connection_.principal_ = caller_.principal->id;
  if (head_.method() == HttpMethod::get) return serve_get();
  if (head_.method() == HttpMethod::delete_) return serve_delete();
  if (auto refusal = check_media()) return connection_.refuse(std::move(*refusal));
  return serve_post();
}

Task<bool> McpRequest::reject(ErrorCode code, std::string_view message, std::string_view id_json,
                              std::string_view data_json) {
  const std::string_view id = id_json.empty() ? absent_id(claimed_era(head_)) : id_json;
  const Answer answer = answer_protocol_error(code, message, id, data_json);
  return connection_.refuse({.status = http_status(code),
                             .reason = protocol_reason(code),
                             .detail = std::string(message),
                             .body = answer.message});
}

Task<bool> McpRequest::refuse_without_session(std::string_view id_json) {
  constexpr std::string_view kWhy = "Mcp-Session-Id is missing: send initialize first";
  return connection_.refuse(
      {.status = 400,
       .reason = Reason::session_missing,
       .detail = std::string(kWhy),
       .body = write_error(id_json.empty() ? absent_id(Era::legacy) : id_json,
                           denial_code(Reason::session_missing, Era::legacy), kWhy)});
}

Task<bool> McpRequest::serve_post() {
  Result<Bytes> body = co_await connection_.read_body();
  if (!body.has_value()) {
    const ErrorCode code = body.error().code;
    if (code == ErrorCode::closed) co_return false;
    const bool too_large = code == ErrorCode::http_limit;
    co_return co_await connection_.refuse({.status = too_large                       ? 413
                                                     : code == ErrorCode::overloaded ? 503
                                                     : code == ErrorCode::timed_out  ? 408
                                                                                     : 400,
                                           .reason = too_large ? Reason::http_too_large
                                                     : code == ErrorCode::overloaded
                                                         ? Reason::overloaded
                                                         : Reason::http_malformed,
                                           .detail = body.error().detail});
  }
  const std::size_t bytes = body->size();
  co_await next_round(worker_.loop);
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, std::move(*body), {},
                                    worker_.snapshot->config.client.null_members);
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return co_await reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  co_await next_round(worker_.loop);
  if (!worker_.directory->probed && !co_await wait_for_servers()) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::server_unavailable,
                                           .detail = "no server has answered yet",
                                           .headers = {{"Retry-After", "1"}}});
  }
  if (worker_.gateway.draining.load(std::memory_order_relaxed)) {
    co_return co_await connection_.refuse(
        {.status = 503, .reason = Reason::shutting_down, .detail = "the gateway is stopping"});
  }
  // A body may take its time: a call begins when its message is whole, under the policy of then.
  if (snapshot_ != worker_.snapshot) {
    snapshot_ = worker_.snapshot;
    if (auto refusal = authenticate()) {
      co_return co_await connection_.refuse(std::move(*refusal));
    }
  }
  if (receipt->is_batch()) co_return co_await dispatch_batch(*receipt, bytes);
  co_return co_await dispatch(*receipt, bytes);
}

Task<bool> McpRequest::wait_for_servers() {
  Signal pause(worker_.loop);
  const Clock::time_point deadline = coarse_now() + limits::server_start_deadline;
  while (!worker_.directory->probed && coarse_now() < deadline)
    co_await pause.wait(kProbePoll);
  co_return worker_.directory->probed;
}

/// Snapshot and caller go with it: the request itself has no more to do with either.
std::unique_ptr<Inbound> McpRequest::make_inbound(ReceivedMessage&& received, Era era,
                                                  ProtocolVersion version, std::size_t bytes) {
  std::unique_ptr<Inbound> inbound(new Inbound{.received = std::move(received),
                                               .era = era,
                                               .version = version,
                                               .snapshot = std::move(snapshot_),
                                               .caller = std::move(caller_),
                                               .source = connection_.stream_->peer(),
                                               .transport = Transport::http,
                                               .bytes = bytes,
                                               .received_at = steady_now()});
  if (era == Era::modern) {
    // The call may outlive its request, and be another worker's: it shares the head.
    inbound->head = connection_.head_;
    inbound->headers = mirrored(head_);
  } else {
    inbound->session_id = head_.find(KnownHeader::mcp_session_id).value_or("");
  }
  return inbound;
}

/// The worker that a legacy message belongs to; null for a session that no worker gave out.
Worker* McpRequest::home_of(const Inbound& inbound) const {
  if (inbound.era == Era::modern || inbound.session_id.empty()) return &worker_;
  return home_of_session();
}

/// The worker that gave out the session of the request, or null.
Worker* McpRequest::home_of_session() const {
  const auto home = session_home(head_.find(KnownHeader::mcp_session_id).value_or(""));
  if (!home.has_value() || *home >= worker_.gateway.workers.size()) return nullptr;
  return worker_.gateway.workers[*home].get();
}

Task<bool> McpRequest::dispatch(ReceivedMessage& received, std::size_t bytes) {
  const Message& message = received.message;
  const std::string id(message.id.raw());
  const auto classified = classify(message, head_.find(KnownHeader::mcp_protocol_version));
  const Directory& directory = *worker_.directory;
  if (!classified.has_value()) {
    const Unclassified& error = classified.error();
    return reject(error.code, error.message, id, error.data_json);
  }
  if (classified->era == Era::modern && !directory.answers(Era::modern)) {
    return connection_.refuse({.status = 400,
                               .reason = Reason::unsupported_version,
                               .detail = "the servers speak the legacy era only",
                               .body = write_legacy_only(id)});
  }
  const bool begins = message.known->id == MethodId::initialize;
  if (classified->era == Era::legacy && begins && !directory.answers(Era::legacy) &&
      directory.answers(Era::modern)) {
    return reject(ErrorCode::unsupported_version, "the servers speak 2026-07-28 only", id,
                  R"({"supported":["2026-07-28"]})");
  }
  if (classified->era == Era::legacy && !begins && !head_.has(KnownHeader::mcp_session_id)) {
    return refuse_without_session(id);
  }
  const Era era = classified->era;
  if (message.known->id == MethodId::subscriptions_listen && accepts() == Accepts::json) {
    return connection_.refuse({.status = 406,
                               .reason = Reason::http_not_acceptable,
                               .detail = "a subscription is a stream; accept one"});
  }
  const bool is_request = message.is_request();
  auto inbound = make_inbound(std::move(received), era, classified->version, bytes);
  Worker* home = home_of(*inbound);
  if (home == nullptr) {
    return connection_.refuse(
        {.status = 404,
         .reason = Reason::session_unknown,
         .detail = "no such session",
         .body = write_error(id, -32600, explanation(Reason::session_unknown))});
  }
  auto reply = make_reply();
  const bool has_session = era == Era::legacy && !inbound->session_id.empty();
  const StreamWish wish = has_session && is_request ? stream_wish() : StreamWish::never;
  const bool posted = home->loop.post([home, inbound = std::move(inbound),
                                       route = ReplyRoute(worker_.loop, reply), wish]() mutable {
    auto exchange = begin_exchange(home->loop, wish, std::move(route));
    spawn(home->loop, handle_call(*home, std::move(inbound), std::move(exchange)));
  });
  if (!posted) return refuse_busy();
  return answer(std::move(reply), era);
}

/// A batch of the one revision that has them: each element is a call of its own.
Task<bool> McpRequest::dispatch_batch(const ReceivedMessage& received, std::size_t bytes) {
  const auto header = head_.find(KnownHeader::mcp_protocol_version);
  const auto version = header.has_value() ? parse_protocol_version(*header) : kHeaderlessVersion;
  if (!version.has_value() || !allows_batches(*version)) {
    co_return co_await reject(ErrorCode::invalid_request, "batches are of 2025-03-26 only", "");
  }
  auto elements = read_batch(worker_.loop, received.document->root(),
                             worker_.snapshot->config.client.null_members);
  if (!elements.has_value()) {
    const RefusedMessage& refused = elements.error();
    co_return co_await reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  if (!head_.has(KnownHeader::mcp_session_id)) {
    co_return co_await refuse_without_session("");
  }
  auto reply = make_reply();
  auto shared = make_inbound({}, Era::legacy, *version, bytes);
  Worker* home = home_of(*shared);
  if (home == nullptr) {
    co_return co_await connection_.refuse(
        {.status = 404, .reason = Reason::session_unknown, .detail = "no such session"});
  }
  auto exchange = std::make_shared<HttpExchange>(ReplyRoute(worker_.loop, reply), home->loop);
  const bool posted =
      home->loop.post([home, shared = std::move(shared), elements = std::move(*elements),
                       exchange = std::move(exchange)]() mutable {
        handle_batch(*home, std::move(*shared), std::move(elements), std::move(exchange));
      });
  if (!posted) co_return co_await refuse_busy();
  co_return co_await answer(std::move(reply), Era::legacy);
}

}  // namespace bartizan
