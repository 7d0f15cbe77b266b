// The responses of a server behind a URL: its statuses, bodies, event streams and messages.
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "gateway/http/sse.h"
#include "gateway/http/write_http.h"
#include "gateway/message/other_id.h"
#include "gateway/upstream/http_upstream.h"
#include "gateway/upstream/lost_session.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// How long a server may take to end a stream behind its answer, for the connection to be kept.
constexpr std::chrono::milliseconds kAfterAnswerWait{500};
/// Room is made for this many times what has come of an answer that says that it is as long: to say
/// so costs a server nothing.
constexpr std::uint64_t kAhead = 8;
/// Of a text that is no JSON: what is looked at for why the server refused.
constexpr std::size_t kSentenceMax = 4096;
/// Of one answer, before others have their turn.
constexpr std::size_t kBytesPerTurn = std::size_t{64} << 10;
/// A server that wants to be left alone longer than that is down.
constexpr std::chrono::hours kRetryAfterMax{24};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Any other type of event is not MCP's, and its data nobody's message.
bool is_message(const SseEvent& event) {
  return event.type.empty() || event.type == "message";
}

Error forgotten() {
  return not_run("the server has forgotten the session");
}

/// Whole seconds; a date is not read. Source: RFC 9110 §10.2.3.
std::optional<std::chrono::milliseconds> retry_after(const ResponseHead& answer) {
  if (answer.status() != 429 && answer.status() != 503) return std::nullopt;
  const std::string_view text = answer.fields().find("retry-after").value_or("");
  std::uint32_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return std::min<std::chrono::milliseconds>(std::chrono::seconds(seconds), kRetryAfterMax);
}

/// Whether two targets differ by nothing but a `/` at the end of their paths.
bool differ_by_slash(std::string_view one, std::string_view other) {
  const std::size_t path = std::min(one.find('?'), one.size());
  const std::size_t other_path = std::min(other.find('?'), other.size());
  if (one.substr(path) != other.substr(other_path)) return false;
  one = one.substr(0, path);
  other = other.substr(0, other_path);
  if (one.size() < other.size()) std::swap(one, other);
  return one.size() == other.size() + 1 && one.ends_with('/') && one.starts_with(other);
}

}  // namespace

/// A server that wants its path with, or without, a `/` at the end is asked so from now on. Nothing
/// else of a redirection is followed: who configured the URL trusts that server with a credential.
/// Source: RFC 9110 §15.4.8, §15.4.9.
bool HttpUpstream::may_follow(const ResponseHead& answer, Post& post) {
  if (answer.status() != 307 && answer.status() != 308) return false;
  if (std::exchange(post.was_moved, true)) return false;
  std::string location(answer.find(KnownHeader::location).value_or(""));
  if (!location.starts_with('/')) {
    const ServerUrl& own = setup_.client->url();
    const Result<ServerUrl> url = parse_server_url(location);
    const bool is_same = url.has_value() && url->tls == own.tls && url->port == own.port &&
                         equal_ignoring_case(url->host, own.host);
    if (!is_same) return false;
    location = url->target;
  }
  // Not with where messages go now: another answer may have moved that meanwhile.
  if (!differ_by_slash(location, post.target)) return false;
  target_ = std::move(location);
  usual_head_.reset();
  return true;
}

Task<Result<void>> HttpUpstream::read_answer(Busy& busy, const ResponseHead& answer,
                                             std::uint64_t id, Post& post) {
  const int status = answer.status();
  const bool is_success = status == 200 || status == 201;
  if (post.is_initialize && is_success) {
    session_id_ = answer.find(KnownHeader::mcp_session_id).value_or("");
  }
  if (answer.has_unread_coding()) {
    co_return std::unexpected(
        server_failed("the server compresses its answer in another coding than gzip"));
  }
  if (is_success && answer.has_media_type("text/event-stream")) {
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
  post.retry_after = retry_after(answer);
  const bool is_json = answer.has_media_type("application/json");
  // What a server answers for a session that it does not know is no answer to the call.
  if (status == 404 && post.bears_session) co_return std::unexpected(forgotten());
  const bool may_name_session = status == 400 && post.bears_session;
  if (!is_json && !may_name_session) co_return std::unexpected(refused(status, post));
  Result<Bytes> body = co_await read_whole(*busy, post.read_wait);
  busy.end(body.has_value());
  if (!body.has_value()) co_return std::unexpected(body.error());
  if (!is_json) {
    const bool names = names_lost_session(body->view().substr(0, kSentenceMax));
    co_return std::unexpected(names ? forgotten() : refused(status));
  }
  co_await yield_batch(home_);
  const Result<void> read =
      on_json(std::move(*body), id, {.status = status, .bears_session = post.bears_session});
  if (!read.has_value() && was_not_run(read.error())) co_return read;
  // An error status may carry a JSON-RPC error for this call; without one, the status speaks.
  if (!is_success && in_flight_.has(id)) co_return std::unexpected(refused(status, post));
  co_return read;
}

Error HttpUpstream::refused(int status) {
  if (status == 401 || status == 403) {
    return server_failed("the server refuses the gateway's credentials");
  }
  if (status >= 300 && status < 400) {
    return server_failed(
        "the server redirects elsewhere, which is not followed: write the URL that it names");
  }
  if (status == 200 || status == 201) {
    return server_failed("the server answered neither JSON nor an event stream");
  }
  const ErrorCode code =
      status == 429 || status == 503 ? ErrorCode::server_unavailable : ErrorCode::server_failed;
  return {code, Fault::server, fmt::format("the server answered HTTP status {}", status)};
}

/// A server of 2024-11-05 takes no POST where its event stream is.
Error HttpUpstream::refused(int status, const Post& post) {
  Error error = refused(status);
  if (post.is_initialize && (status == 404 || status == 405)) {
    error.detail += "; if it speaks HTTP+SSE of 2024-11-05, write transport = \"sse\"";
  }
  return error;
}

Task<Result<Bytes>> HttpUpstream::read_whole(HttpClientConnection& connection,
                                             std::chrono::milliseconds wait) {
  Bytes body;
  MemoryBudget::Reservation held;
  bool is_over = false;
  std::size_t turn_end = kBytesPerTurn;
  while (!is_over) {
    if (body.size() >= turn_end) {
      turn_end = body.size() + kBytesPerTurn;
      co_await yield_turn(home_);
    }
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
  co_return body;
}

Task<Result<void>> HttpUpstream::read_events(HttpClientConnection& connection, SseReader& events,
                                             std::uint64_t id, std::chrono::milliseconds wait) {
  MemoryBudget::Reservation held;
  // The answer ends the stream; a server that does not close it soon loses the connection, however
  // much it still has to say.
  Deadline farewell(home_.wheel(), close_stream, &connection.stream());
  std::size_t taken_bytes = 0;
  while (true) {
    // What is there already, or expands from little, leaves others their turn.
    if (taken_bytes >= kBytesPerTurn) {
      taken_bytes = 0;
      co_await yield_turn(home_);
    }
    const bool is_answered = id != kSessionStream && !in_flight_.has(id);
    if (is_answered && !farewell.is_armed()) farewell.arm(kAfterAnswerWait);
    const Result<std::string_view> piece = co_await connection.read_body(wait);
    if (!piece.has_value()) co_return std::unexpected(piece.error());
    if (piece->empty()) co_return Result<void>{};
    taken_bytes += piece->size();
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

Result<void> HttpUpstream::on_json(Bytes bytes, std::uint64_t id, Circumstance of) {
  if (bytes.view().starts_with(kByteOrderMark)) {
    bytes = Bytes(bytes.view().substr(kByteOrderMark.size()));
  }
  Receipt receipt = receive_message(home_, memory_, std::move(bytes), kResponseLimits);
  if (receipt.has_value() && receipt->is_batch()) {
    // Some servers answer one request with a batch of one.
    const JsonValue batch = receipt->document->root();
    if (batch.size() != 1) {
      return fail(ErrorCode::server_failed, Fault::server,
                  "the server answered one request with a batch");
    }
    const Mended mended = receipt->mended;  // It is read a second time, from mended bytes.
    receipt = receive_message(home_, memory_, Bytes((*batch.begin()).raw()), kResponseLimits);
    if (receipt.has_value()) receipt->mended = mended;
  }
  if (!receipt.has_value()) return on_refused(receipt.error());
  if (of.bears_session && says_session_lost(receipt->message, of.status)) {
    home_.give_back(std::move(receipt->document));
    return std::unexpected(forgotten());
  }
  const Message& message = receipt->message;
  const bool is_others = message.is_answer() && message.id && number_of(message.id) != id;
  if (Result<void> taken = on_received(*std::move(receipt), id); !taken) return taken;
  if (is_others) return std::unexpected(server_failed(std::string(kOtherId)));
  return {};
}

Result<void> HttpUpstream::on_message(Bytes bytes, std::uint64_t id) {
  Receipt receipt = receive_message(home_, memory_, std::move(bytes), kResponseLimits);
  if (!receipt.has_value()) return on_refused(receipt.error());
  if (receipt->is_batch())
    return fail(ErrorCode::server_failed, Fault::server, "an answer is not a batch");
  // No status says what it is about: the stream does.
  const bool names_none = receipt->message.is_answer() && !receipt->message.id;
  if (names_none && id != kSessionStream) {
    fail_call(id, "the server answered with an error that names no request");
  }
  return on_received(*std::move(receipt), id);
}

std::unexpected<Error> HttpUpstream::on_refused(const RefusedMessage& refused) {
  Error error = unreadable(refused);
  // On a stream nobody would say that the answer was this one, and more may follow.
  if (const auto pending = route_refused(in_flight_, refused)) pending->fail(error);
  return std::unexpected(std::move(error));
}

Result<void> HttpUpstream::on_received(ReceivedMessage&& received, std::uint64_t id) {
  const Message& message = received.message;
  if (message.is_answer()) {
    on_answer(std::move(received), id);
    return {};
  }
  const bool is_for_all = tells_of_changed_list(message) && !names_subscription(message);
  if (is_for_all) {
    events_.message(key_, std::move(received));
    return {};
  }
  // What comes on the session's stream is about the call that it names, or about none. What comes
  // on a call's own stream is about that call, and may not name another.
  const bool is_progress =
      message.is_notification() && message.known->id == MethodId::notifications_progress;
  const bool names_other = is_progress && number_of(message.progress_token) != id;
  const bool on_session = id == kSessionStream;
  const auto pending = on_session ? route(in_flight_, message) : in_flight_.find(id);
  if (message.is_request() && pending != nullptr) {
    const auto asked = on_session ? in_flight_.id_of(pending).value_or(id) : id;
    if (!may_ask(asked, message.known->id)) {
      events_.dropped(key_, "request_of_old_session");
      return {};
    }
  }
  if (!on_session && (pending == nullptr || names_other)) {
    events_.dropped(key_, pending == nullptr ? "after_answer" : "unknown_token");
  } else if (pending == nullptr) {
    events_.message(key_, std::move(received));
  } else if (!pending->deliver(std::move(received))) {
    // It is left as it was if there is no room.
    events_.overflow(key_, std::move(received));  // NOLINT(bugprone-use-after-move)
  }
  return {};
}

void HttpUpstream::on_answer(ReceivedMessage&& received, std::uint64_t id) {
  const Message& message = received.message;
  // An error that names no request is told by the HTTP status that it came with.
  if (message.kind == MessageKind::error_response && !message.id) return;
  const bool is_own = number_of(message.id) == id;
  const auto pending = is_own ? in_flight_.take(id) : nullptr;
  if (pending == nullptr) {
    events_.dropped(key_, "unknown_id");
    // On a call's own stream there is no other answer to wait for.
    if (!is_own && id != kSessionStream) fail_call(id, kOtherId);
    return;
  }
  const auto code = message.error.find("code").integer();
  const bool is_void = code == static_cast<int>(RpcCode::unsupported_version);
  // Who is being introduced is not forgotten meanwhile: others wait for what it says.
  if (is_void && !handshake_.is_going_on()) handshake_.forget();
  if (!pending->deliver(std::move(received))) events_.dropped(key_, "unknown_id");
  queue_.begin_waiting();
}

void HttpUpstream::fail_call(std::uint64_t id, std::string_view why) {
  const auto pending = in_flight_.take(id);
  if (pending == nullptr) return;
  pending->fail(server_failed(std::string(why)));
  queue_.begin_waiting();
}

}  // namespace bartizan
