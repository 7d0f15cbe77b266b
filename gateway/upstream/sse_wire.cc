#include "gateway/upstream/sse_wire.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gateway/http/write_http.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::size_t kEnoughWaits = std::size_t{1} << 20;
/// A stream may be silent for as long as its server likes: its end is the end of the connection.
constexpr std::chrono::minutes kSilence{60};
constexpr std::string_view kEndpoint = "endpoint";

std::unexpected<Error> failed(std::string why) {
  return fail(ErrorCode::server_failed, Fault::server, std::move(why));
}

bool is_message(const SseEvent& event) {
  return event.type.empty() || event.type == "message";
}

}  // namespace

Result<std::string> find_message_target(const ServerUrl& url, std::string_view said) {
  const bool is_clean =
      !said.empty() && std::ranges::all_of(said, [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_clean || said.contains('#') || said.contains('\\')) {
    return failed("the server's endpoint event holds no URL");
  }
  if (said.starts_with("//")) return failed("the server's endpoint is of another origin");
  if (said.starts_with('/')) return std::string(said);
  const std::size_t scheme = said.find("://");
  const bool is_absolute = scheme != std::string_view::npos && scheme < said.find_first_of("/?");
  if (is_absolute || said.find(':') < said.find_first_of("/?")) {
    const Result<ServerUrl> other = parse_server_url(said);
    const bool is_same = other.has_value() && other->tls == url.tls && other->port == url.port &&
                         equal_ignoring_case(other->host, url.host);
    if (!is_same) return failed("the server's endpoint is of another origin");
    return other->target;
  }
  const std::string_view path =
      std::string_view(url.target).substr(0, std::min(url.target.find('?'), url.target.size()));
  if (said.starts_with('?')) return std::string(path) + std::string(said);
  return std::string(path.substr(0, path.rfind('/') + 1)) + std::string(said);
}

SseWire::SseWire(Loop& loop, MemoryBudget& memory, ServerDefinitionPtr definition)
    : loop_(loop),
      memory_(memory),
      definition_(std::move(definition)),
      client_(loop, *definition_->url, definition_->tls),
      events_(limits::response_bytes_max),
      room_(loop) {}

Result<std::string> SseWire::head_of(std::string_view method, std::string_view target,
                                     std::size_t body_bytes) const {
  const bool is_post = method == "POST";
  std::vector<HeaderLine> headers{{"Accept", is_post ? "*/*" : "text/event-stream"}};
  for (const OwnHeader& header : definition_->headers)
    headers.push_back({header.name, header.value.view()});
  RequestStart start{
      .method = method, .target = target, .host = client_.authority(), .headers = headers};
  if (is_post) {
    start.content_type = "application/json";
    start.body = {.framing = BodyFraming::content_length, .content_length = body_bytes};
  }
  std::string head;
  const Result<void> written = append_request_head(head, start);
  if (!written.has_value()) return std::unexpected(written.error());
  return head;
}

Task<Result<void>> SseWire::open(std::chrono::milliseconds wait) {
  const auto self = shared_from_this();
  auto connected = co_await client_.connect(wait);
  if (!connected.has_value()) co_return std::unexpected(connected.error());
  stream_ = *std::move(connected);
  // However slowly the server answers.
  Deadline deadline(loop_.wheel(), close_stream, &stream_->stream());
  deadline.arm(wait);
  const Result<std::string> head = head_of("GET", definition_->url->target, 0);
  if (!head.has_value()) co_return std::unexpected(head.error());
  const Result<void> sent = co_await stream_->send(*head, "");
  if (!sent.has_value()) co_return sent;
  const auto answer = co_await stream_->read_head(wait);
  if (!answer.has_value()) co_return std::unexpected(answer.error());
  if ((*answer)->status() != 200 || !(*answer)->has_media_type("text/event-stream")) {
    co_return failed("the server opens no stream of events: status " +
                     std::to_string((*answer)->status()));
  }
  const Result<SseEvent> first = co_await next_event(wait);
  if (!first.has_value()) co_return std::unexpected(first.error());
  if (first->type != kEndpoint) co_return failed("the server's first event names no endpoint");
  auto target = find_message_target(*definition_->url, first->data.view());
  if (!target.has_value()) co_return std::unexpected(target.error());
  target_ = *std::move(target);
  co_return Result<void>();
}

Task<Result<SseEvent>> SseWire::next_event(std::chrono::milliseconds wait) {
  while (true) {
    while (!rest_.empty()) {
      Result<SseReader::Step> step = events_.step(rest_);
      if (!step.has_value()) co_return std::unexpected(step.error());
      rest_.erase(0, step->consumed);
      if (step->event.has_value()) co_return *std::move(step->event);
    }
    if (!hold(memory_, held_, events_.buffered())) {
      co_return fail(ErrorCode::io_failed, Fault::gateway, "the memory budget is exhausted");
    }
    const Result<std::string_view> came = co_await stream_->read_body(wait);
    if (!came.has_value()) co_return std::unexpected(came.error());
    if (came->empty()) {
      co_return fail(ErrorCode::closed, Fault::server, "the server ended its stream of events");
    }
    rest_ = *came;
  }
}

Task<Result<Bytes>> SseWire::next() {
  const auto self = shared_from_this();
  while (!is_over_) {
    Result<SseEvent> event = co_await next_event(kSilence);
    if (event.has_value() && is_message(*event) && !event->data.empty()) {
      co_return std::move(event->data);
    }
    if (!event.has_value() && event.error().code != ErrorCode::timed_out) {
      co_return std::unexpected(event.error());
    }
  }
  co_return fail(ErrorCode::closed, Fault::gateway, "the connection is not read any more");
}

void SseWire::write(std::string message) {
  if (is_over_) return;
  Piece piece{.text = std::move(message)};
  const bool fits =
      pieces_.empty() || waiting_ + piece.text.size() <= limits::server_write_queue_bytes_max;
  if (!fits || !hold(memory_, piece.memory, piece.text.size())) {
    return give_up("the server is too slow for what it is sent");
  }
  waiting_ += piece.text.size();
  pieces_.push_back(std::move(piece));
  if (!std::exchange(is_posting_, true)) spawn(loop_, post_waiting());
}

/// One after the other: a message may depend on the one before it.
Task<void> SseWire::post_waiting() {
  const auto self = shared_from_this();
  while (!pieces_.empty() && !is_over_) {
    const Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    const Result<void> posted = co_await post(piece.text);
    if (is_over_) break;
    waiting_ -= piece.text.size();
    if (!posted.has_value()) {
      give_up("the server takes no messages");
      break;
    }
    if (has_room()) room_.notify();
  }
  is_posting_ = false;
}

Task<Result<void>> SseWire::post(const std::string& text) {
  const Result<std::string> head = head_of("POST", target_, text.size());
  if (!head.has_value()) co_return std::unexpected(head.error());
  auto connected = co_await client_.connect(limits::server_start_deadline);
  if (!connected.has_value()) co_return std::unexpected(connected.error());
  HttpConnectionPtr connection = *std::move(connected);
  Deadline deadline(loop_.wheel(), close_stream, &connection->stream());
  deadline.arm(limits::server_start_deadline);
  const Result<void> sent = co_await connection->send(*head, text);
  if (!sent.has_value()) co_return sent;
  const auto answer = co_await connection->read_head(limits::server_start_deadline);
  if (!answer.has_value()) co_return std::unexpected(answer.error());
  const int status = (*answer)->status();
  if (status < 200 || status > 299) {
    co_return failed("the server answers a message with the status " + std::to_string(status));
  }
  for (std::size_t taken = 0; taken <= limits::line_bytes_max;) {
    const auto piece = co_await connection->read_body(limits::server_start_deadline);
    if (!piece.has_value()) co_return Result<void>();
    if (piece->empty()) {
      deadline.cancel();
      client_.give_back(std::move(connection));
      break;
    }
    taken += piece->size();
  }
  co_return Result<void>();
}

bool SseWire::has_room() const {
  return waiting_.load(std::memory_order_relaxed) <= kEnoughWaits;
}

Task<void> SseWire::wait_for_room() {
  const auto self = shared_from_this();
  while (!has_room() && !is_over_)
    co_await room_.wait(limits::write_deadline);
}

void SseWire::stop_reading() {
  is_over_ = true;
  if (stream_ != nullptr) stream_->stream().close();
  room_.notify();
}

void SseWire::close(std::string_view /*why*/) {
  pieces_.clear();
  waiting_ = 0;
  stop_reading();
}

void SseWire::give_up(std::string_view why) {
  if (is_over_) return;
  close(why);
  if (broken_) std::exchange(broken_, nullptr)(why);
}

Task<Result<std::shared_ptr<MessageWire>>> open_sse_wire(Loop& loop, MemoryBudget& memory,
                                                         ServerDefinitionPtr definition,
                                                         std::chrono::milliseconds wait) {
  auto wire = std::make_shared<SseWire>(loop, memory, std::move(definition));
  const Result<void> opened = co_await wire->open(wait);
  if (!opened.has_value()) {
    wire->close("");
    co_return std::unexpected(opened.error());
  }
  co_return wire;
}

}  // namespace bartizan
