#include "gateway/client/mcp_request.h"

#include <utility>

#include "gateway/call/batch.h"
#include "gateway/call/handle_call.h"
#include "gateway/identity/protected_resource.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/classify.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {

McpRequest::McpRequest(Connection& connection)
    : connection_(connection),
      worker_(connection.worker()),
      head_(*connection.head()),
      snapshot_(connection.worker().snapshot),
      revocations_(present_revocations(connection.worker())) {}

Task<bool> McpRequest::serve() {
  connection_.peer().read_address(head_, snapshot_);
  const auto door = find_front_door(snapshot_->config, head_.path());
  if (door.has_value() && is_for_browsers(door->place)) return serve_front_door(*door);
  if (auto refusal = check_source()) return connection_.refuse(std::move(*refusal));
  if (head_.method() == HttpMethod::options) return preflight();
  if (door.has_value()) return serve_front_door(*door);
  if (auto document = find_resource_metadata(snapshot_->config, head_.path())) {
    return serve_metadata(*std::move(document));
  }
  if (auto refusal = check_request()) return connection_.refuse(std::move(*refusal));
  if (auto refusal = check_certificate()) return connection_.refuse(std::move(*refusal));
  // Its token is in its first message.
  if (comes_from_agent()) return serve_agent_socket();
  const bool has_query = !head_.query().empty();
  const Authenticated* known =
      has_query ? nullptr : connection_.proof().find(credentials(), snapshot_, moment());
  if (known != nullptr) return serve_proved(Authentication(*known));
  Task<Authentication> proving =
      snapshot_->authenticator.prove(worker_.loop, credentials(), seconds_now());
  if (!proving.is_ready()) return serve_later(std::move(proving));
  return serve_proved(std::move(proving.value()));
}

RememberedProof::Moment McpRequest::moment() const {
  return {.now = seconds_now(), .revocations = revocations_};
}

Task<bool> McpRequest::serve_later(Task<Authentication> proving) {
  co_return co_await serve_proved(co_await std::move(proving));
}

Task<bool> McpRequest::serve_proved(Authentication proved) {
  if (auto refusal = accept(std::move(proved))) return connection_.refuse(std::move(*refusal));
  connection_.set_principal(caller_.principal->id);

  if (protocol() == EndpointConfig::Protocol::fabricore) return serve_agents();
  if (begins_web_socket()) return serve_web_socket();
  if (begins_sse()) return serve_sse();
  if (head_.method() == HttpMethod::get) return serve_get();
  if (head_.method() == HttpMethod::delete_) return serve_delete();
  if (auto refusal = check_media()) return connection_.refuse(std::move(*refusal));
  if (posts_to_sse()) return serve_sse_post();
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

Task<bool> McpRequest::refuse_body(const Error& error) {
  const ErrorCode code = error.code;
  const bool too_large = code == ErrorCode::http_limit;
  return connection_.refuse({.status = too_large                       ? 413
                                       : code == ErrorCode::overloaded ? 503
                                       : code == ErrorCode::timed_out  ? 408
                                                                       : 400,
                             .reason = too_large                       ? Reason::http_too_large
                                       : code == ErrorCode::overloaded ? Reason::overloaded
                                                                       : Reason::http_malformed,
                             .detail = error.detail});
}

/// Proves the caller again after the body, which may take long: the call begins when its message is
/// complete, under the policy of that time.
Task<std::optional<HttpRefusal>> McpRequest::prove_anew() {
  while (snapshot_ != worker_.snapshot) {
    snapshot_ = worker_.snapshot;
    if (auto refusal = find_endpoint()) co_return refusal;
    if (auto refusal = check_certificate()) co_return refusal;
    revocations_ = present_revocations(worker_);
    auto proved =
        co_await snapshot_->authenticator.prove(worker_.loop, credentials(), seconds_now());
    if (auto refusal = accept(std::move(proved))) co_return refusal;
  }
  co_return std::nullopt;
}

Task<bool> McpRequest::serve_post() {
  Result<Bytes> body = co_await connection_.read_body();
  if (!body.has_value()) {
    if (body.error().code == ErrorCode::closed) co_return false;
    co_return co_await refuse_body(body.error());
  }
  const std::size_t bytes = body->size();
  co_await yield_batch(worker_.loop);
  Receipt receipt = receive_message(worker_.loop, worker_.gateway.memory, std::move(*body), {},
                                    worker_.snapshot->config.client.null_members);
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return co_await reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  co_await yield_batch(worker_.loop);
  if (!worker_.directory->probed && !co_await wait_for_servers(worker_)) {
    co_return co_await connection_.refuse({.status = 503,
                                           .reason = Reason::server_unavailable,
                                           .detail = "no server has answered yet",
                                           .headers = {{"Retry-After", "1"}}});
  }
  if (auto refusal = co_await prove_anew()) {
    co_return co_await connection_.refuse(std::move(*refusal));
  }
  co_return co_await dispatch(std::move(*receipt), bytes);
}

/// The worker that issued the session of the request, or null.
Worker* McpRequest::home_of_session() const {
  const auto id = head_.find(KnownHeader::mcp_session_id).value_or("");
  return bartizan::home_of_session(worker_.gateway, id);
}

/// Moves snapshot and caller into the result: the request needs neither any more.
Arrival McpRequest::arrival(std::size_t bytes) {
  const auto version = head_.find(KnownHeader::mcp_protocol_version);
  return {.transport = Transport::http,
          .snapshot = std::move(snapshot_),
          .caller = std::move(caller_),
          .source = connection_.peer().address().source,
          .session_id = std::string(head_.find(KnownHeader::mcp_session_id).value_or("")),
          .agreed = version.has_value() ? parse_protocol_version(*version) : kHeaderlessVersion,
          .head = connection_.head(),
          .bytes = bytes};
}

Task<bool> McpRequest::dispatch(ReceivedMessage&& received, std::size_t bytes) {
  auto admitted = admit_message(worker_, std::move(received), arrival(bytes));
  if (!admitted.has_value()) return refuse(admitted.error());
  const Inbound& inbound = *admitted->inbound;
  const Era era = inbound.era;
  const bool is_batch = !admitted->elements.empty();
  const bool is_listening =
      !is_batch && inbound.received.message.known->id == MethodId::subscriptions_listen;
  if (is_listening && accepts() == Accepts::json) {
    return connection_.refuse({.status = 406,
                               .reason = Reason::http_not_acceptable,
                               .detail = "a subscription is a stream; accept one"});
  }
  const bool may_stream = !is_batch && era == Era::legacy && !inbound.session_id.empty() &&
                          inbound.received.message.is_request();
  const StreamPreference wish = may_stream ? stream_wish() : StreamPreference::never;
  auto reply = make_reply();
  Loop& home = admitted->home->loop;
  const bool posted = home.post([&home, admitted = std::move(*admitted),
                                 route = ReplyRoute(worker_.loop, reply), wish]() mutable {
    begin_call(std::move(admitted), begin_exchange(home, wish, std::move(route)));
  });
  if (!posted) return refuse_busy();
  return answer(std::move(reply), era);
}

Task<bool> McpRequest::refuse(const MessageRefusal& refusal) {
  if (refusal.reason == Reason::session_missing) return refuse_without_session(refusal.id_json);
  if (refusal.cause == MessageRefusal::Cause::protocol) {
    return reject(refusal.code, refusal.detail, refusal.id_json, refusal.data_json);
  }
  std::string body;
  if (!refusal.id_json.empty()) {
    body = write_error(refusal.id_json, -32600, message_of(refusal.reason));
  }
  return connection_.refuse({.status = http_status(refusal.code),
                             .reason = refusal.reason,
                             .detail = refusal.detail,
                             .body = std::move(body)});
}

}  // namespace bartizan
