// The resumption of a response stream of a server behind a URL, with the gateway as its client.
#include <algorithm>
#include <utility>

#include "gateway/upstream/http_upstream.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Whether a stream ended where it stood; one that broke a rule would break it again.
bool is_only_cut(const Result<void>& read) {
  return read.has_value() || read.error().code == ErrorCode::closed ||
         read.error().code == ErrorCode::io_failed;
}

}  // namespace

Task<HttpUpstream::StreamEnd> HttpUpstream::read_stream(HttpClientConnection& connection,
                                                        std::uint64_t id,
                                                        std::chrono::milliseconds wait) {
  SseReader events(limits::response_bytes_max);
  Result<void> read = co_await read_events(connection, events, id, wait);
  std::chrono::milliseconds retry = limits::server_retry_default;
  if (events.retry_ms().has_value()) {
    retry = std::min<std::chrono::milliseconds>(std::chrono::milliseconds(*events.retry_ms()),
                                                limits::server_retry_max);
  }
  const bool can_be_sent = events.last_event_id().size() <= limits::server_event_id_bytes_max;
  const bool may_resume = can_be_sent && is_only_cut(read);
  co_return StreamEnd{.read = std::move(read),
                      .last_event_id = may_resume ? events.last_event_id() : std::string(),
                      .retry = std::max<std::chrono::milliseconds>(retry, limits::timer_tick),
                      .was_open = true};
}

Task<void> HttpUpstream::pause(std::uint64_t id, std::chrono::milliseconds wait) {
  Signal woken(home_);
  pauses_[id] = &woken;
  co_await woken.wait(wait);
  pauses_.erase(id);
}

void HttpUpstream::wake(std::uint64_t id) {
  const auto found = pauses_.find(id);
  if (found != pauses_.end()) found->second->notify();
}

Task<Result<void>> HttpUpstream::resume(std::uint64_t id, StreamEnd end) {
  std::uint32_t attempts_in_vain = 0;
  while (attempts_in_vain < limits::server_resumptions_max) {
    // It closed its stream in order: so may the gateway, towards a client that can come back.
    const auto pending = in_flight_.find(id);
    if (pending != nullptr && end.read.has_value()) pending->pause();
    co_await pause(id, end.retry);
    // Whoever cancels the call has taken it out of what is in flight.
    if (stopping_ || !in_flight_.has(id)) co_return Result<void>{};
    StreamEnd next = co_await read_following(id, end);
    if (!in_flight_.has(id)) co_return Result<void>{};
    if (next.last_event_id.empty()) co_return next.read;
    attempts_in_vain = next.last_event_id == end.last_event_id ? attempts_in_vain + 1 : 0;
    end = std::move(next);
  }
  co_return std::unexpected(server_failed("the server's stream broke too often"));
}

/// One GET for what follows `before`. Without an id to go on from where the server refuses that.
Task<HttpUpstream::StreamEnd> HttpUpstream::read_following(std::uint64_t id,
                                                           const StreamEnd& before) {
  const auto again = [&](Error error) {
    return StreamEnd{
        std::unexpected(std::move(error)), before.last_event_id,
        std::max<std::chrono::milliseconds>(before.retry, limits::server_restart_delay_min)};
  };
  const auto found = sent_.find(id);
  if (found == sent_.end() || found->second.beginning != beginning_) {
    // Its event means nothing to the session that there is now.
    co_return StreamEnd{
        std::unexpected(server_failed("the server has begun anew, and cannot resume its answer")),
        {},
        {}};
  }
  const Result<std::string> head = head_of("GET", session_id_, before.last_event_id);
  if (!head.has_value()) co_return StreamEnd{std::unexpected(head.error()), {}, {}};
  auto connected = co_await setup_.client->connect(limits::server_start_deadline);
  if (!connected.has_value()) co_return again(connected.error());
  if (!in_flight_.has(id)) co_return again(server_failed("the call is over"));
  Busy busy(*this, id, std::move(*connected));
  const Result<void> sent = co_await busy->send(*head, "");
  if (!sent.has_value()) co_return again(sent.error());
  const auto answered = co_await busy->read_head(limits::server_start_deadline);
  if (!answered.has_value()) co_return again(answered.error());
  const ResponseHead& answer = **answered;
  if (answer.status() >= 500) co_return again(refused(answer.status()));
  if (answer.status() != 200 || !answer.has_media_type("text/event-stream") ||
      answer.has_unread_coding()) {
    // Not `not_found`, should the session be lost: the call has left, and is not sent twice.
    co_return StreamEnd{
        std::unexpected(server_failed("the server does not let its stream be resumed")), {}, {}};
  }
  StreamEnd end = co_await read_stream(*busy, id, Post().read_wait);
  busy.end(end.read.has_value());
  if (end.last_event_id.empty()) end.last_event_id = before.last_event_id;
  co_return end;
}

}  // namespace bartizan
