// What goes to a server behind a URL and is no call, and what it says outside of calls.
#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/upstream/http_upstream.h"
#include "gateway/upstream/lost_session.h"
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

void HttpUpstream::tell(Permit permit, std::uint64_t asked_in) {
  if (permit.empty()) return;
  // A server may ask for ever, and every refusal is a request of ours. What a client has answered
  // is bounded by what it was asked, and is not lost.
  if (permit.own_kind().has_value() && tells_.size() >= kTellsWaiting) {
    return events_.dropped(key_, "answer_not_taken");
  }
  tells_.push_back({.body = permit.wire(), .asked_in = asked_in});
  if (telling_ < kTellsAtOnce) spawn(home_, run_tells());
}

Task<void> HttpUpstream::run_tells() {
  const auto self = shared_from_this();
  ++telling_;
  while (!tells_.empty()) {
    Tell tell = std::move(tells_.front());
    tells_.pop_front();
    if (tell.asked_in != 0 && tell.asked_in != beginning_) continue;
    co_await run_tell("", std::move(tell.body));
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
  std::string session, last_event_id;
  std::optional<std::string> heard;
  // It may have begun while nobody could be woken, between two pauses.
  const auto is_succeeded = [&] {
    return handshake_.introduction().has_value() && !handshake_.is_going_on() &&
           session_id_ != session;
  };
  while (!stopping_) {
    // To another session the id of an event means nothing.
    if (std::exchange(session, session_id_) != session_id_) last_event_id.clear();
    const auto began = steady_now();
    const std::uint64_t beginning = beginning_;
    const auto [end, offer] = co_await listen_once(session, last_event_id);
    listener_.reset();
    if (end.was_open) heard = session;
    const bool is_open = offer == Listened::Offer::open;
    const bool is_lost = offer == Listened::Offer::lost && !session.empty() && heard == session;
    const bool begins = is_lost && !is_succeeded() && !stopping_;
    if (begins) {
      // It had such a stream, so that what it does not know any more is the session.
      co_await restart_session(beginning, not_run("the server has forgotten the session"));
    } else if (!is_open && heard != session && last_event_id.empty()) {
      break;  // It offers no such stream.
    }
    if (end.was_open && steady_now() - began > kLastingStream) {
      delay = limits::server_restart_delay_min;
    }
    std::chrono::milliseconds retry{0};
    if (!is_open) {
      last_event_id.clear();  // What was missed is lost; a new one may be had.
    } else if (!end.last_event_id.empty()) {
      retry = end.retry;
      last_event_id = end.last_event_id;
    }
    if (stopping_) break;
    if (!is_succeeded()) co_await pause(kSessionStream, std::max(delay, retry));
    // That this has it begin anew is no reason to come back sooner: it may forget each of them.
    delay = is_succeeded() && !begins
                ? limits::server_restart_delay_min
                : std::min<std::chrono::milliseconds>(delay * 2, limits::server_restart_delay_max);
  }
  listening_ = false;
}

Task<HttpUpstream::Listened> HttpUpstream::listen_once(std::string session,
                                                       std::string last_event_id) {
  const auto unheard = [](const Error& error) {
    return Listened{.end = {std::unexpected(error), {}, {}}};
  };
  auto connected = co_await setup_.client->connect(limits::server_start_deadline);
  note_reached(connected.has_value());
  if (!connected.has_value()) co_return unheard(connected.error());
  // Between two sessions there is nothing to listen to, and no refusal means anything.
  const auto is_over = [&] {
    return stopping_ || handshake_.is_going_on() || session_id_ != session;
  };
  if (is_over()) co_return unheard(server_failed("the session is over"));
  const Result<std::string> head = head_of("GET", session, last_event_id);
  if (!head.has_value()) co_return unheard(head.error());
  listener_ = std::move(*connected);
  const Result<void> sent = co_await listener_->send(*head, "");
  if (!sent.has_value()) co_return unheard(sent.error());
  const auto answer = co_await listener_->read_head(limits::server_start_deadline);
  if (!answer.has_value()) co_return unheard(answer.error());
  if (is_stream(**answer)) {
    co_return Listened{.end = co_await read_stream(*listener_, kSessionStream, Post().read_wait)};
  }
  const Error error = refused((*answer)->status());
  const Listened::Offer offer = co_await read_refusal(**answer);
  if (is_over()) co_return unheard(error);
  co_return Listened{.end = {std::unexpected(error), {}, {}}, .offer = offer};
}

/// That a stream is refused says nothing of the session, unless the server says so.
Task<HttpUpstream::Listened::Offer> HttpUpstream::read_refusal(const ResponseHead& answer) {
  if (answer.status() == 404) co_return Listened::Offer::lost;
  if (answer.status() != 400) co_return Listened::Offer::refused;
  const bool is_json = answer.has_media_type("application/json");
  Deadline deadline(home_.wheel(), close_stream, &listener_->stream());
  deadline.arm(kTellWait);
  Result<Bytes> body = co_await read_whole(*listener_, kTellWait);
  deadline.cancel();
  bool is_lost = false;
  if (body.has_value() && is_json) {
    Receipt receipt = receive_message(home_, memory_, std::move(*body), kResponseLimits);
    is_lost = receipt.has_value() && says_session_lost(receipt->message, 400);
    if (receipt.has_value()) home_.give_back(std::move(receipt->document));
  } else if (body.has_value()) {
    is_lost = names_lost_session(body->view());
  }
  co_return is_lost ? Listened::Offer::lost : Listened::Offer::refused;
}

/// Whether a call may be asked something: not by a session that is gone. Its ids are another one's
/// by now, and so would the answer be.
bool HttpUpstream::may_ask(std::uint64_t id, MethodId method) {
  const auto sent = sent_.find(id);
  if (sent == sent_.end()) return true;
  if (sent->second.beginning != beginning_ || handshake_.is_going_on()) return false;
  // A ping is answered at once, and its call needs that answer no more than any other.
  sent->second.was_asked |= method != MethodId::ping;
  return true;
}

/// Ends the calls whose clients the present session has asked something: their answers would go to
/// the next one. So would what waits to be sent.
void HttpUpstream::end_what_was_asked() {
  tells_.clear();
  std::vector<std::uint64_t> asked;
  for (const auto& [id, sent] : sent_) {
    if (sent.was_asked) asked.push_back(id);
  }
  for (const std::uint64_t id : asked) {
    const auto pending = in_flight_.take(id);
    if (pending == nullptr) continue;
    pending->fail(server_failed("the server has begun anew, and what it had asked is void"));
    if (const auto found = connections_.find(id); found != connections_.end()) {
      found->second->stream().close();
    }
    wake(id);
  }
}

/// The server need not keep a session that nobody uses any more; calls that were sent in it end
/// first.
void HttpUpstream::give_up_session() {
  if (session_id_.empty()) return;
  if (given_up_.has_value()) spawn(home_, end_session(std::move(given_up_->session)));
  given_up_ = {.session = std::exchange(session_id_, {}), .beginning = beginning_};
  end_given_up();
}

void HttpUpstream::end_given_up() {
  if (!given_up_.has_value()) return;
  const bool is_used = std::ranges::any_of(
      sent_, [this](const auto& one) { return one.second.beginning == given_up_->beginning; });
  if (is_used) return;
  spawn(home_, end_session(std::move(given_up_->session)));
  given_up_.reset();
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
  if (!session_id_.empty()) spawn(home_, end_session(std::exchange(session_id_, {})));
  if (given_up_.has_value()) spawn(home_, end_session(std::move(given_up_->session)));
  given_up_.reset();
}

Task<void> HttpUpstream::end_session(std::string session) {
  const auto self = shared_from_this();
  const Result<std::string> head = head_of("DELETE", session);
  auto connected = co_await setup_.client->connect(limits::server_stop_grace);
  if (!head.has_value() || !connected.has_value()) co_return;
  if (!(co_await (*connected)->send(*head, "")).has_value()) co_return;
  co_await (*connected)->read_head(limits::server_stop_grace);
}

}  // namespace bartizan
