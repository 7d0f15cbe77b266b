// What goes to a server behind a URL and is no call, and what it says outside of calls.
#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/upstream/http_upstream.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// For a message without an answer, from its connection to the head that accepts it; how many are
/// on their way at once, and how many wait.
constexpr std::chrono::seconds kTellWait{10};
constexpr std::size_t kTellsAtOnce = 8;
constexpr std::size_t kTellsWaiting = 256;
/// A stream of the session that took this long is asked for again soon.
constexpr std::chrono::seconds kLastingStream{5};

bool is_stream(const ResponseHead& answer) {
  return answer.status() == 200 && answer.has_media_type("text/event-stream") &&
         !answer.has_unread_coding();
}

}  // namespace

void HttpUpstream::tell(Permit permit) {
  if (permit.empty()) return;
  // A server may ask for ever, and every refusal is a request of ours. What a client has answered
  // is bounded by what it was asked, and is not lost.
  if (permit.own_kind().has_value() && tells_.size() >= kTellsWaiting) {
    return events_.dropped(key_, "answer_not_taken");
  }
  tells_.push_back(permit.wire());
  if (telling_ < kTellsAtOnce) spawn(home_, run_tells());
}

Task<void> HttpUpstream::run_tells() {
  const auto self = shared_from_this();
  ++telling_;
  while (!tells_.empty()) {
    std::string body = std::move(tells_.front());
    tells_.pop_front();
    co_await run_tell("", std::move(body));
  }
  --telling_;
}

Task<void> HttpUpstream::run_tell(std::string method, std::string body) {
  const auto self = shared_from_this();
  const Post post{
      .method = std::move(method), .name_header = {}, .param_headers = {}, .body = std::move(body)};
  const Result<std::string> head = head_of(post);
  if (!head.has_value()) co_return;
  auto connected = co_await setup_.client->connect(kTellWait);
  if (!connected.has_value()) co_return;
  Deadline deadline(home_.wheel(), close_stream, &(*connected)->stream());
  deadline.arm(kTellWait);
  if (!(co_await (*connected)->send(*head, post.body)).has_value()) co_return;
  if (!(co_await (*connected)->read_head(kTellWait)).has_value()) co_return;
  const auto rest = co_await (*connected)->read_body(kTellWait);
  deadline.cancel();
  if (rest.has_value() && rest->empty()) setup_.client->give_back(std::move(*connected));
}

// --- The stream of the session ------------------------------------------------------------------

/// Whoever listens already may have been told to come back late, by a session that is gone.
void HttpUpstream::begin_listening() {
  if (std::exchange(listening_, true)) return wake(kSessionStream);
  spawn(home_, listen());
}

Task<void> HttpUpstream::listen() {
  const auto self = shared_from_this();
  std::chrono::milliseconds delay = limits::server_restart_delay_min;
  std::string session, last_event_id, heard;
  // It may have begun while nobody could be woken, between two pauses.
  const auto is_succeeded = [&] {
    return handshake_.introduction().has_value() && !handshake_.is_going_on() &&
           session_id_ != session;
  };
  while (!stopping_) {
    // To another session the id of an event means nothing.
    if (std::exchange(session, session_id_) != session_id_) last_event_id.clear();
    const auto began = steady_now();
    const std::optional<StreamEnd> end = co_await listen_once(session, last_event_id);
    listener_.reset();
    if (end.has_value() && end->was_open) heard = session;
    const bool is_forgotten = !end.has_value() && !session.empty() && heard == session;
    if (is_forgotten && !is_succeeded() && !stopping_) {
      // It had such a stream, so that what it does not know any more is the session.
      co_await begin_anew(session, not_run("the server has forgotten the session"));
    } else if (!end.has_value() && last_event_id.empty()) {
      break;  // It offers no such stream.
    }
    if (steady_now() - began > kLastingStream) {
      delay = limits::server_restart_delay_min;
    }
    std::chrono::milliseconds retry{0};
    if (!end.has_value()) {
      last_event_id.clear();  // What was missed is lost; a new one may be had.
    } else if (!end->last_event_id.empty()) {
      retry = end->retry;
      last_event_id = end->last_event_id;
    }
    if (stopping_) break;
    if (!is_succeeded()) co_await pause(kSessionStream, std::max(delay, retry));
    delay = is_succeeded()
                ? limits::server_restart_delay_min
                : std::min<std::chrono::milliseconds>(delay * 2, limits::server_restart_delay_max);
  }
  listening_ = false;
}

Task<std::optional<HttpUpstream::StreamEnd>> HttpUpstream::listen_once(std::string session,
                                                                       std::string last_event_id) {
  const auto unheard = [](const Error& error) { return StreamEnd{std::unexpected(error), {}, {}}; };
  auto connected = co_await setup_.client->connect(limits::server_start_deadline);
  if (!connected.has_value()) co_return unheard(connected.error());
  // Between two sessions there is nothing to listen to, and no refusal means anything.
  const auto is_over = [&] {
    return stopping_ || handshake_.is_going_on() || session_id_ != session;
  };
  if (is_over()) co_return unheard(server_failed("the session is over"));
  const Result<std::string> head = head_of("GET", last_event_id);
  if (!head.has_value()) co_return unheard(head.error());
  listener_ = std::move(*connected);
  const Result<void> sent = co_await listener_->send(*head, "");
  if (!sent.has_value()) co_return unheard(sent.error());
  const auto answer = co_await listener_->read_head(limits::server_start_deadline);
  if (!answer.has_value()) co_return unheard(answer.error());
  if (is_stream(**answer)) {
    co_return co_await read_stream(*listener_, kSessionStream, Post().read_wait);
  }
  if (is_over()) co_return unheard(refused((*answer)->status()));
  co_return std::nullopt;
}

void HttpUpstream::stop() {
  stopping_ = true;
  for (const auto& [id, connection] : connections_)
    connection->stream().close();
  if (listener_ != nullptr) listener_->stream().close();
  for (const auto& [id, woken] : pauses_)
    woken->notify();
  const Error stopped = server_failed("the server is being stopped");
  in_flight_.fail_calls(stopped);
  queue_.fail(stopped);
  if (!session_id_.empty()) spawn(home_, end_session());
}

Task<void> HttpUpstream::end_session() {
  const auto self = shared_from_this();
  const Result<std::string> head = head_of("DELETE");
  session_id_.clear();
  auto connected = co_await setup_.client->connect(limits::server_stop_grace);
  if (!head.has_value() || !connected.has_value()) co_return;
  if (!(co_await (*connected)->send(*head, "")).has_value()) co_return;
  co_await (*connected)->read_head(limits::server_stop_grace);
}

}  // namespace bartizan
