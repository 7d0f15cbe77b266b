#include "gateway/upstream/http_upstream.h"

#include <algorithm>
#include <utility>

#include "gateway/http/sse.h"
#include "gateway/http/write_http.h"
#include "gateway/upstream/introduce.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// How long a server may take to end a stream behind its answer, for the connection to be kept.
constexpr std::chrono::milliseconds kAfterAnswerWait{500};
/// Room is made for this many times what has come of an answer that says that it is as long: to say
/// so costs a server nothing.
constexpr std::uint64_t kAhead = 8;

bool is_session_lost(const Error& error) {
  return error.code == ErrorCode::not_found;
}

/// Any other type of event is not MCP's, and its data nobody's message.
bool is_message(const SseEvent& event) {
  return event.type.empty() || event.type == "message";
}

}  // namespace

HttpUpstream::HttpUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                           UpstreamEvents events, HttpUpstreamSetup setup)
    : home_(home),
      memory_(memory),
      config_(std::move(config)),
      key_(std::move(key)),
      events_(std::move(events)),
      setup_(std::move(setup)),
      in_flight_(config_.max_in_flight),
      queue_(in_flight_,
             [this](OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
               begin_call(std::move(request), std::move(pending));
             }),
      handshake_(home_, server_failed("the server was never reached")) {}

// --- Introduction -------------------------------------------------------------------------------

Task<Result<ServerIntroduction>> HttpUpstream::introduction() {
  const auto self = shared_from_this();
  const Result<void> introduced = co_await ensure_introduced();
  if (!introduced.has_value()) co_return std::unexpected(introduced.error());
  co_return *handshake_.introduction();
}

Task<Result<void>> HttpUpstream::ensure_introduced() {
  if (handshake_.introduction().has_value()) co_return Result<void>{};
  if (handshake_.is_going_on()) {
    co_await handshake_.wait(limits::server_start_deadline);
    if (handshake_.introduction().has_value()) co_return Result<void>{};
    co_return std::unexpected(handshake_.failure());
  }
  handshake_.begin();
  Result<void> introduced = co_await introduce();
  if (!introduced.has_value()) {
    introduced.error().code = ErrorCode::server_unavailable;
    events_.state(key_, "failed: " + introduced.error().detail);
    handshake_.fail(introduced.error());
    co_return introduced;
  }
  handshake_.end();
  events_.state(key_, "ready");
  // After the end: a session's stream is not asked for while a handshake is going on.
  if (key_.era == Era::legacy) begin_listening();
  co_return introduced;
}

Task<Result<void>> HttpUpstream::introduce() {
  const bool modern = key_.era == Era::modern;
  session_id_.clear();
  if (listener_ != nullptr) listener_->stream().close();  // It listened to what is gone.
  const std::uint64_t id = in_flight_.next_id();
  auto pending = std::make_shared<PendingCall>(home_);
  in_flight_.add(id, pending);
  // One deadline for all of it: a server that drips comments makes progress and says nothing.
  Expiry expiry{this, id};
  Deadline deadline(home_.wheel(), &HttpUpstream::expire, &expiry);
  deadline.arm(modern ? limits::server_probe_deadline : limits::server_start_deadline);
  const Result<void> posted =
      modern
          ? co_await post_own(OwnMessage::server_discover, "server/discover",
                              modern_params(config_), id)
          : co_await post_own(OwnMessage::initialize, "initialize", initialize_params(config_), id);
  deadline.cancel();
  in_flight_.take(id);
  if (!posted.has_value()) co_return std::unexpected(posted.error());
  Result<ReceivedMessage> answer = co_await pending->next(limits::timer_tick);
  if (!answer.has_value()) {
    co_return std::unexpected(server_failed("the server did not introduce itself in time"));
  }
  Result<ServerIntroduction> introduction = read_introduction(config_, key_.era, answer->message);
  home_.give_back(std::move(answer->document));
  if (!introduction.has_value()) co_return std::unexpected(introduction.error());
  handshake_.learn(std::move(*introduction));
  if (modern) co_return Result<void>{};
  co_await run_tell("notifications/initialized", write_notification("notifications/initialized"));
  co_return Result<void>{};
}

void HttpUpstream::expire(void* expiry) {
  const auto& [self, id] = *static_cast<Expiry*>(expiry);
  // Also while it is still connecting: what is not in flight is not sent.
  self->in_flight_.take(id);
  const auto found = self->connections_.find(id);
  if (found != self->connections_.end()) found->second->stream().close();
}

Task<Result<void>> HttpUpstream::post_own(OwnMessage kind, std::string method, std::string params,
                                          std::uint64_t id) {
  const Result<void> recorded = co_await events_.record_own(key_, method);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  const Permit permit = Permit::own(kind, write_request(std::to_string(id), method, params));
  Post post{.method = std::move(method),
            .name_header = {},
            .param_headers = {},
            .body = permit.wire(),
            .is_initialize = kind == OwnMessage::initialize,
            .read_wait = kind == OwnMessage::server_discover ? limits::server_probe_deadline
                                                             : limits::server_start_deadline};
  co_return co_await exchange(id, post);
}

// --- Calls --------------------------------------------------------------------------------------

void HttpUpstream::call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
  if (request.permit.empty() || stopping_)
    return pending->fail(server_failed("not accepting calls"));
  queue_.take(std::move(request), std::move(pending), true);
}

void HttpUpstream::begin_call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
  const std::uint64_t id = in_flight_.next_id();
  in_flight_.add(id, pending);
  Post post{.method = std::move(request.method),
            .name_header = std::move(request.name_header),
            .param_headers = std::move(request.param_headers),
            .body = number_request(request, id)};
  spawn(home_, run_call(id, std::move(post), std::move(pending)));
}

Task<void> HttpUpstream::run_call(std::uint64_t id, Post post,
                                  std::shared_ptr<PendingCall> pending) {
  const auto self = shared_from_this();
  Result<void> done;
  if (!handshake_.introduction().has_value()) done = co_await ensure_introduced();
  const std::string session = session_id_;
  if (done.has_value()) done = co_await exchange(id, post);
  if (!done.has_value() && is_session_lost(done.error()) && key_.era == Era::legacy) {
    // The server forgot the session and so did nothing with the call: begin again, once. Of several
    // calls that find out, the first begins for all.
    if (session_id_ == session && !handshake_.is_going_on()) handshake_.forget();
    done = co_await ensure_introduced();
    if (done.has_value()) done = co_await exchange(id, post);
  }
  // Still there means unanswered: an answer takes the entry away.
  if (in_flight_.take(id) != nullptr) {
    pending->fail(done.has_value() ? server_failed("the server ended its answer without a response")
                                   : done.error());
  }
  queue_.begin_waiting();
}

Task<Result<void>> HttpUpstream::exchange(std::uint64_t id, Post& post) {
  const Result<std::string> head = head_of(post);
  if (!head.has_value()) co_return std::unexpected(head.error());
  co_await next_round(home_);
  HttpConnectionPtr connection = setup_.client->take_idle();
  if (connection == nullptr) {
    auto connected = co_await setup_.client->connect(limits::server_start_deadline);
    if (!connected.has_value()) co_return std::unexpected(connected.error());
    connection = std::move(*connected);
  }
  if (!in_flight_.has(id)) {
    // Cancelled while it waited for the introduction or the connection: it is not sent.
    setup_.client->give_back(std::move(connection));
    co_return Result<void>{};
  }
  Busy busy(*this, id, std::move(connection));
  const Result<void> sent = co_await busy->send(*head, post.body);
  if (!sent.has_value()) co_return std::unexpected(sent.error());
  const auto answered = co_await busy->read_head(post.read_wait);
  if (!answered.has_value()) co_return std::unexpected(answered.error());
  const ResponseHead& answer = **answered;
  const bool streams = answer.media_type() == "text/event-stream";
  const int status = answer.status();
  if (post.is_initialize && status == 200) {
    session_id_ = answer.find(KnownHeader::mcp_session_id).value_or("");
  }
  if (answer.has_content_coding()) {
    co_return std::unexpected(server_failed("the server compresses what nobody asked it to"));
  }
  if (status == 200 && streams) {
    StreamEnd end = co_await read_stream(*busy, id, post.read_wait);
    busy.end(end.read.has_value());
    const bool may_resume = key_.era == Era::legacy && !post.is_initialize;
    if (!may_resume || end.last_event_id.empty() || !in_flight_.has(id)) {
      co_return end.read;
    }
    // Never sent again, and nobody accounts for it once the call is over.
    std::string().swap(post.body);
    co_return co_await resume(id, std::move(end));
  }
  // What a server answers for a session that it does not know is no answer to the call.
  if (forgets_session(status) || answer.media_type() != "application/json") {
    co_return std::unexpected(refused(status));
  }
  // Made before anything is waited for: another session may have begun by then.
  std::optional<Error> refusal;
  if (status != 200) refusal = refused(status);
  const Result<void> read = co_await read_json(*busy, id, post.read_wait);
  busy.end(read.has_value());
  // An error status may carry a JSON-RPC error for this call; without one, the status speaks.
  if (refusal.has_value() && in_flight_.has(id)) {
    co_return std::unexpected(*refusal);
  }
  co_return read;
}

bool HttpUpstream::forgets_session(int status) const {
  return status == 404 && !session_id_.empty();
}

Error HttpUpstream::refused(int status) const {
  if (forgets_session(status)) {
    return {ErrorCode::not_found, Fault::server, "the server has forgotten the session"};
  }
  if (status == 401 || status == 403) {
    return server_failed("the server refuses the gateway's credentials");
  }
  if (status >= 300 && status < 400)
    return server_failed("the server redirects, which is not followed");
  if (status == 200) return server_failed("the server answered neither JSON nor an event stream");
  return server_failed("the server answered HTTP status " + std::to_string(status));
}

Task<Result<void>> HttpUpstream::read_json(HttpClientConnection& connection, std::uint64_t id,
                                           std::chrono::milliseconds wait) {
  Bytes body;
  MemoryBudget::Reservation held;
  bool is_over = false;
  while (!is_over) {
    const std::uint64_t arrived = body.size() + connection.buffered();
    const std::uint64_t expected = std::min(connection.announced(), kAhead * arrived);
    if (!hold(memory_, held, std::max(arrived, expected))) {
      co_return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
    }
    body.reserve(expected + 1);  // One more shows whether the server says more.
    const Result<bool> appended = co_await connection.append_body(body, wait);
    if (!appended.has_value()) co_return std::unexpected(appended.error());
    is_over = !*appended;
  }
  co_await next_round(home_);
  co_return on_message(std::move(body), id);
}

Task<Result<void>> HttpUpstream::read_events(HttpClientConnection& connection, SseReader& events,
                                             std::uint64_t id, std::chrono::milliseconds wait) {
  MemoryBudget::Reservation held;
  // The answer ends the stream; a server that does not close it soon loses the connection, however
  // much it still has to say.
  Deadline farewell(home_.wheel(), close_stream, &connection.stream());
  while (true) {
    const bool is_answered = id != kSessionStream && !in_flight_.has(id);
    if (is_answered && !farewell.is_armed()) farewell.arm(kAfterAnswerWait);
    const Result<std::string_view> piece = co_await connection.read_body(wait);
    if (!piece.has_value()) co_return std::unexpected(piece.error());
    if (piece->empty()) co_return Result<void>{};
    std::string_view rest = *piece;
    while (!rest.empty()) {
      Result<SseReader::Step> step = events.step(rest);
      if (!step.has_value()) co_return std::unexpected(step.error());
      rest.remove_prefix(step->consumed);
      if (!step->event.has_value() || step->event->data.empty()) continue;
      held.release();  // The event is now the message's to account for.
      if (!is_message(*step->event)) {
        events_.dropped(key_, "unknown_event");
        continue;
      }
      const Result<void> taken = on_message(std::move(step->event->data), id);
      if (!taken.has_value()) events_.dropped(key_, "not_a_message");
    }
    if (!hold(memory_, held, events.buffered())) {
      co_return fail(ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted");
    }
  }
}

Result<void> HttpUpstream::on_message(Bytes bytes, std::uint64_t id) {
  Receipt receipt = receive_message(home_, memory_, std::move(bytes), kResponseLimits);
  if (!receipt.has_value()) {
    Error error =
        server_failed("the server sent no JSON-RPC message: " + receipt.error().error.detail);
    if (receipt.error().error.code == ErrorCode::overloaded) error = receipt.error().error;
    // On a stream nobody would say that the answer was this one, and more may follow.
    if (const auto pending = route_refused(in_flight_, receipt.error())) pending->fail(error);
    return std::unexpected(std::move(error));
  }
  if (receipt->is_batch())
    return fail(ErrorCode::server_failed, Fault::server, "an answer is no batch");
  const Message& message = receipt->message;
  if (message.is_answer()) {
    on_answer(std::move(*receipt), id);
    return {};
  }
  const bool is_for_all = tells_of_changed_list(message) && !names_subscription(message);
  if (is_for_all) {
    events_.message(key_, std::move(*receipt));
    return {};
  }
  // What comes on the session's stream is about the call that it names, or about none. What comes
  // on a call's own stream is about that call, and may not name another.
  const bool is_progress =
      message.is_notification() && message.known->id == MethodId::notifications_progress;
  const bool names_other =
      is_progress && message.progress_token.integer() != static_cast<std::int64_t>(id);
  const bool on_session = id == kSessionStream;
  const auto pending = on_session ? route(in_flight_, message) : in_flight_.find(id);
  if (!on_session && (pending == nullptr || names_other)) {
    events_.dropped(key_, pending == nullptr ? "after_answer" : "unknown_token");
  } else if (pending == nullptr) {
    events_.message(key_, std::move(*receipt));
  } else if (!pending->deliver(std::move(*receipt))) {
    events_.overflow(key_, std::move(*receipt));
  }
  return {};
}

void HttpUpstream::on_answer(ReceivedMessage&& received, std::uint64_t id) {
  const Message& message = received.message;
  // An error that names no request is told by the HTTP status that it came with.
  if (message.kind == MessageKind::error_response && !message.id) return;
  const bool is_own = message.id.integer() == static_cast<std::int64_t>(id);
  const auto pending = is_own ? in_flight_.take(id) : nullptr;
  if (pending == nullptr) return events_.dropped(key_, "unknown_id");
  const auto code = message.error.find("code").integer();
  if (code == static_cast<int>(RpcCode::unsupported_version)) handshake_.forget();
  if (!pending->deliver(std::move(received))) events_.dropped(key_, "unknown_id");
  queue_.begin_waiting();
}

void HttpUpstream::cancel(const std::shared_ptr<PendingCall>& pending) {
  if (queue_.forget(pending)) return;
  const auto id = in_flight_.id_of(pending);
  if (!id.has_value()) return;
  in_flight_.take(*id);
  // Closing the stream is the cancellation of the modern era; legacy wants to be told.
  const auto found = connections_.find(*id);
  if (found != connections_.end()) found->second->stream().close();
  wake(*id);
  if (key_.era == Era::legacy) {
    tell(Permit::own(OwnMessage::cancelled,
                     write_notification("notifications/cancelled",
                                        R"({"requestId":)" + std::to_string(*id) + "}")));
  }
  queue_.begin_waiting();
}

}  // namespace bartizan
