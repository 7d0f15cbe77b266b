#include "gateway/upstream/http_upstream.h"

#include <algorithm>
#include <utility>

#include "config/parse_units.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// How long one call waits for the introduction that another one has begun: it ends by itself.
constexpr auto kIntroductionWait = 2 * limits::server_start_deadline;

/// The server, or what stands before it, has gone away.
bool is_connection_lost(const Error& error) {
  return error.fault == Fault::server &&
         (error.code == ErrorCode::io_failed || error.code == ErrorCode::closed);
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
      queue_(in_flight_, [this](CallQueue::Waiting&& call) { begin_call(std::move(call)); }),
      handshake_(home_, server_failed("the server was never reached")),
      target_(setup_.client->url().target) {}

// --- Introduction -------------------------------------------------------------------------------

Task<Result<ServerHandshake>> HttpUpstream::introduction() {
  const auto self = shared_from_this();
  const Result<void> introduced = co_await ensure_introduced();
  if (!introduced.has_value()) co_return std::unexpected(introduced.error());
  // An answer may have made it void before this goes on.
  if (!handshake_.introduction().has_value()) co_return std::unexpected(handshake_.failure());
  co_return *handshake_.introduction();
}

/// Not while the handshake goes on: until its end, calls are judged by what was listed before it.
bool HttpUpstream::is_introduced() const {
  return handshake_.introduction().has_value() && !handshake_.is_going_on();
}

Task<Result<void>> HttpUpstream::ensure_introduced() {
  if (is_introduced()) co_return Result<void>{};
  if (handshake_.is_going_on()) {
    co_await handshake_.wait(kIntroductionWait);
    if (is_introduced()) co_return Result<void>{};
    co_return std::unexpected(handshake_.failure());
  }
  handshake_.begin();
  Result<void> introduced = co_await introduce();
  if (!introduced.has_value()) {
    // One that answers something is there, also where it speaks another era.
    note_reached(!is_connection_lost(introduced.error()));
    introduced.error().code = ErrorCode::server_unavailable;
    // Each call asks a server anew that cannot be reached; the same is not said each time.
    if (std::exchange(last_failure_, introduced.error().detail) != introduced.error().detail)
      events_.state(key_, "failed: " + introduced.error().detail);
    handshake_.fail(introduced.error());
    co_return introduced;
  }
  last_failure_.clear();
  note_reached(true);
  ++beginning_;
  handshake_.end();
  events_.state(key_, beginning_ > 1 ? kBegunAnew : "ready");
  // After the end: a session's stream is not asked for while a handshake is going on.
  if (key_.era == Era::legacy) begin_listening();
  co_return introduced;
}

Task<Result<void>> HttpUpstream::introduce() {
  end_what_was_asked();
  give_up_session();
  if (listener_ != nullptr) listener_->stream().close();  // It listened to what is gone.
  Result<ReceivedMessage> answer = co_await ask_introduction();
  if (answer.has_value() && asks_for_another_try(answer->message)) {
    home_.give_back(std::move(answer->document));
    answer = co_await ask_introduction();
  }
  if (!answer.has_value()) co_return std::unexpected(answer.error());
  Result<ServerHandshake> introduction = read_introduction(config_, key_.era, answer->message);
  home_.give_back(std::move(answer->document));
  if (!introduction.has_value()) co_return std::unexpected(introduction.error());
  handshake_.learn(std::move(*introduction));
  if (key_.era == Era::modern) co_return Result<void>{};
  co_await run_tell("notifications/initialized", write_notification("notifications/initialized"));
  co_return Result<void>{};
}

Task<Result<ReceivedMessage>> HttpUpstream::ask_introduction() {
  const bool modern = key_.era == Era::modern;
  const std::uint64_t id = in_flight_.next_id();
  auto pending = std::make_shared<PendingCall>(home_);
  in_flight_.add(id, pending);
  // One deadline for all of it: a server that drips comments makes progress and says nothing.
  Expiry expiry{this, id};
  Deadline deadline(home_.wheel(), &HttpUpstream::expire, &expiry);
  deadline.arm(modern ? limits::server_probe_deadline : limits::server_start_deadline);
  const Result<void> posted =
      modern ? co_await post_gateway_message(GatewayMessage::server_discover, "server/discover",
                                             modern_params(config_), id)
             : co_await post_gateway_message(GatewayMessage::initialize, "initialize",
                                             initialize_params(config_), id);
  deadline.cancel();
  in_flight_.take(id);
  // It may be there although its stream did not end, or broke, after it.
  Result<ReceivedMessage> answer =
      co_await next_answer(*pending, events_, key_, limits::timer_tick);
  if (!answer.has_value() && !posted.has_value()) co_return std::unexpected(posted.error());
  if (!answer.has_value()) {
    const auto wait = modern ? limits::server_probe_deadline : limits::server_start_deadline;
    co_return std::unexpected(
        server_failed("the server did not introduce itself within " + format_duration(wait)));
  }
  co_return answer;
}

void HttpUpstream::expire(void* expiry) {
  const auto& [self, id] = *static_cast<Expiry*>(expiry);
  // Also while it is still connecting: what is not in flight is not sent.
  self->in_flight_.take(id);
  const auto found = self->connections_.find(id);
  if (found != self->connections_.end()) found->second->stream().close();
}

Task<Result<void>> HttpUpstream::post_gateway_message(GatewayMessage kind, std::string method,
                                                      std::string params, std::uint64_t id) {
  const Result<void> recorded = co_await events_.record_gateway_message(key_, method);
  if (!recorded.has_value()) co_return std::unexpected(recorded.error());
  const Permit permit = Permit::own(kind, write_request(std::to_string(id), method, params));
  Post post{.method = std::move(method),
            .name_header = {},
            .param_headers = {},
            .body = permit.wire(),
            .is_initialize = kind == GatewayMessage::initialize,
            .read_wait = kind == GatewayMessage::server_discover ? limits::server_probe_deadline
                                                                 : limits::server_start_deadline};
  co_return co_await exchange(id, post);
}

// --- Calls --------------------------------------------------------------------------------------

void HttpUpstream::call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) {
  if (request.permit.empty() || stopping_)
    return pending->fail(server_failed("not accepting calls"));
  // What is handed over before the first beginning was judged by what that lists.
  const std::uint64_t judged_for =
      request.judged_for != 0 ? request.judged_for : std::max<std::uint64_t>(beginning_, 1);
  queue_.take(
      {.request = std::move(request), .pending = std::move(pending), .judged_for = judged_for},
      true);
}

void HttpUpstream::begin_call(CallQueue::Waiting&& call) {
  auto& [request, pending, judged_for] = call;
  const std::uint64_t id = in_flight_.next_id();
  in_flight_.add(id, pending);
  // What nobody has to judge again, or what is one of several, is sent once more from here.
  const bool repeats_itself = request.permit.own_kind().has_value() || pending->is_part();
  Post post{.method = std::move(request.method),
            .name_header = std::move(request.name_header),
            .param_headers = std::move(request.param_headers),
            .body = number_request(request, id),
            .judged_for = repeats_itself ? 0 : judged_for};
  spawn(home_, run_call(id, std::move(post), std::move(pending)));
}

Task<void> HttpUpstream::run_call(std::uint64_t id, Post post,
                                  std::shared_ptr<PendingCall> pending) {
  const auto self = shared_from_this();
  Result<void> done;
  if (!is_introduced()) done = co_await ensure_introduced();
  if (done.has_value() && is_outlived(post)) done = std::unexpected(begun_anew());
  if (done.has_value()) {
    const std::uint64_t beginning = beginning_;
    note_sent(id, *pending);
    done = co_await exchange(id, post);
    const bool is_lost = !done.has_value() && in_flight_.has(id) && !stopping_ &&
                         (was_not_run(done.error()) || is_connection_lost(done.error()));
    if (is_lost) {
      if (is_connection_lost(done.error())) note_reached(false);
      sent_.erase(id);
      const Result<void> begun = co_await restart_session(beginning, done.error());
      const bool again = begun.has_value() && post.judged_for == 0 && was_not_run(done.error());
      if (!begun.has_value()) done = begun;
      if (again) {
        note_sent(id, *pending);
        done = co_await exchange(id, post);
      }
    }
    sent_.erase(id);
    end_given_up();
  }
  if (done.has_value()) note_reached(true);
  // Still there means unanswered: an answer takes the entry away.
  if (in_flight_.take(id) != nullptr) {
    pending->fail(done.has_value() ? server_failed("the server ended its answer without a response")
                                   : done.error(),
                  post.retry_after);
  }
  queue_.begin_waiting();
}

void HttpUpstream::note_reached(bool is_reached) {
  const bool was_lost = std::exchange(is_lost_, !is_reached);
  if (is_reached && !was_lost) return;
  if (events_.reached && !stopping_) events_.reached(key_, is_reached);
}

void HttpUpstream::note_sent(std::uint64_t id, PendingCall& pending) {
  sent_.insert_or_assign(id, Sent{.beginning = beginning_});
  pending.note_beginning(beginning_);
}

Task<Result<void>> HttpUpstream::restart_session(std::uint64_t beginning, const Error& error) {
  // Of several calls that find out, the first begins for all.
  if (beginning_ == beginning && !handshake_.is_going_on()) {
    if (was_not_run(error)) session_id_.clear();  // Which the server does not know any more.
    handshake_.forget();
  }
  // What may have run is not sent again, and the next call begins.
  if (!was_not_run(error)) co_return Result<void>{};
  co_return co_await ensure_introduced();
}

Task<Result<void>> HttpUpstream::exchange(std::uint64_t id, Post& post) {
  while (true) {
    post.bears_session = !session_id_.empty() && !post.is_initialize;
    post.target = target_;
    const Result<std::string> head = head_of(post);
    if (!head.has_value()) co_return std::unexpected(head.error());
    co_await yield_batch(home_);
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
    if (is_outlived(post)) {
      setup_.client->give_back(std::move(connection));
      co_return std::unexpected(begun_anew());
    }
    Busy busy(*this, id, std::move(connection));
    const Result<void> sent = co_await busy->send(*head, post.body);
    if (!sent.has_value()) co_return std::unexpected(sent.error());
    const auto answered = co_await busy->read_head(post.read_wait);
    if (!answered.has_value()) co_return std::unexpected(answered.error());
    if (may_follow(**answered, post)) continue;
    co_return co_await read_answer(busy, **answered, id, post);
  }
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
    tell(Permit::own(GatewayMessage::cancelled,
                     write_notification("notifications/cancelled",
                                        R"({"requestId":)" + std::to_string(*id) + "}")),
         0);
  }
  queue_.begin_waiting();
}

}  // namespace bartizan
