// Clients of the 2024-11-05 transport: the GET that opens their event stream, and the POST of each
// message.
#include <array>
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/client/sse_client_wire.h"
#include "gateway/client/web_socket_upgrade.h"
#include "gateway/client/wire_client.h"
#include "gateway/http/accept.h"
#include "gateway/reply/resumable_exchange.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The beginning of a posted message's query; the key of its stream follows.
constexpr std::string_view kKeyQuery = "sse=";
constexpr std::size_t kKeyDigits = 36;

/// An unguessable key. It begins with the number of its worker.
std::string new_key(Worker& worker) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string key;
  const auto append = [&key, kDigits](std::uint8_t byte) {
    key += kDigits[byte >> 4];
    key += kDigits[byte & 0xf];
  };
  append(static_cast<std::uint8_t>(worker.loop.index() >> 8));
  append(static_cast<std::uint8_t>(worker.loop.index() & 0xff));
  for (const std::uint8_t byte : worker.random.draw<16>())
    append(byte);
  return key;
}

/// The worker that issued a key; null for an invalid one.
Worker* home_of_key(const Gateway& gateway, std::string_view key) {
  if (key.size() != kKeyDigits) return nullptr;
  std::size_t index = 0;
  for (const char digit : key.substr(0, 4)) {
    const bool is_number = digit >= '0' && digit <= '9';
    if (!is_number && (digit < 'a' || digit > 'f')) return nullptr;
    index = 16 * index + static_cast<std::size_t>(is_number ? digit - '0' : digit - 'a' + 10);
  }
  return index < gateway.workers.size() ? gateway.workers[index].get() : nullptr;
}

/// Gives a posted message to its stream. For a stream of another owner the response is the same as
/// for an unknown key.
Answer take_posted(Worker& home, std::string_view key, const SseClientWire::Owner& owner,
                   Bytes text) {
  const auto found = home.sse_wires.find(key);
  const auto wire = found == home.sse_wires.end() ? nullptr : found->second.lock();
  if (wire == nullptr || wire->owner() != owner) {
    return {.message = {}, .protocol_error = ErrorCode::not_found};
  }
  if (!wire->take(std::move(text))) {
    return {.message = {}, .protocol_error = ErrorCode::overloaded};
  }
  return {};
}

}  // namespace

bool McpRequest::asks_for_sse() const {
  return head_.method() == HttpMethod::get && !head_.has(KnownHeader::mcp_session_id) &&
         !asks_for_web_socket(head_) &&
         bartizan::accepts(head_.find(KnownHeader::accept).value_or(""), "text/event-stream");
}

bool McpRequest::begins_sse() const {
  return snapshot_->config.listen.sse && asks_for_sse();
}

bool McpRequest::posts_to_sse() const {
  return snapshot_->config.listen.sse && head_.method() == HttpMethod::post &&
         head_.query().starts_with(kKeyQuery);
}

Task<bool> McpRequest::serve_sse() {
  if (head_.minor_version() != 1 || head_.framing() != BodyFraming::none) {
    co_return co_await connection_.refuse({.status = 400,
                                           .reason = Reason::http_malformed,
                                           .detail = "an event stream needs HTTP/1.1, no body"});
  }
  WireTerms terms = wire_terms(Transport::sse);
  const SseClientWire::Owner owner{.principal = caller_.principal->id,
                                   .endpoint = endpoint_.value_or("")};
  const std::string key = new_key(worker_);
  const std::string target = std::string(head_.path()) + "?" + std::string(kKeyQuery) + key;
  std::vector<HeaderLine> headers{{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  connection_.append_origin_headers(headers);
  std::string answer;
  const Result<void> made = append_response_head(answer, {.status = 200,
                                                          .content_type = "text/event-stream",
                                                          .body = {.framing = BodyFraming::chunked},
                                                          .headers = headers});
  if (!made.has_value()) co_return false;
  const Result<void> written = co_await connection_.stream().write(answer, limits::write_deadline);
  if (!written.has_value()) co_return false;
  auto [stream, begun] = connection_.take_stream();
  auto events = std::make_shared<StreamWire>(
      worker_.loop, worker_.gateway.memory, worker_.random, std::move(stream),
      StreamWireTerms{.framing = Framing::event_stream,
                      .message_bytes_max = 0,
                      .queue_bytes_max = limits::wire_output_bytes_max},
      std::move(begun));
  auto wire = std::make_shared<SseClientWire>(worker_.loop, worker_.gateway.memory, events, owner);
  Worker& worker = worker_;
  worker.sse_wires.emplace(key, wire);
  events->write_event("endpoint", target);
  spawn(worker.loop,
        [](std::shared_ptr<SseClientWire> its) -> Task<void> { co_await its->watch_end(); }(wire));
  co_await serve_wire(worker, std::move(terms), wire);
  worker.sse_wires.erase(key);
  co_return false;
}

Task<bool> McpRequest::serve_sse_post() {
  const std::string key(head_.query().substr(kKeyQuery.size()));
  Worker* const home = home_of_key(worker_.gateway, key);
  Result<Bytes> body = co_await connection_.read_body();
  if (!body.has_value()) {
    if (body.error().code == ErrorCode::closed) co_return false;
    co_return co_await refuse_body(body.error());
  }
  auto reply = make_reply();
  const bool posted =
      home != nullptr &&
      home->loop.post([home, key,
                       owner = SseClientWire::Owner{.principal = caller_.principal->id,
                                                    .endpoint = endpoint_.value_or("")},
                       text = *std::move(body), route = ReplyRoute(worker_.loop, reply)]() mutable {
        route.finish(take_posted(*home, key, owner, std::move(text)));
      });
  const bool is_answered = posted && co_await reply->wait(limits::json_answer_wait);
  if (home != nullptr && !is_answered) co_return co_await refuse_busy();
  const auto refused =
      home == nullptr ? std::optional(ErrorCode::not_found) : reply->answer()->protocol_error;
  if (!refused.has_value()) co_return co_await connection_.respond(202, "", "", {});
  if (*refused == ErrorCode::overloaded) co_return co_await refuse_busy();
  co_return co_await connection_.refuse(
      {.status = 404, .reason = Reason::session_unknown, .detail = "no such event stream"});
}

}  // namespace bartizan
