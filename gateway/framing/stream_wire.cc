#include "gateway/framing/stream_wire.h"

#include <algorithm>
#include <utility>

#include "gateway/http/sse.h"
#include "gateway/http/write_http.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
/// Above this much, no more is read: a peer that reads more slowly than it sends must notice.
constexpr std::size_t kEnoughWaits = std::size_t{1} << 20;
/// Overhead of a waiting message.
constexpr std::size_t kPieceBytes = 64;
/// The time to send the messages that were written before the end.
constexpr std::chrono::seconds kLastBytesWait{30};
constexpr std::string_view kTooLong = "the message is longer than one may be";
constexpr std::string_view kNoMemory = "the memory budget is exhausted";
constexpr std::string_view kStalled = "the peer does not take what it is sent";

std::string chunk_of(std::string_view bytes) {
  std::string chunk;
  append_chunk(chunk, bytes);
  return chunk;
}

WebSocketReader::Sender sender_of(Framing framing) {
  return framing == Framing::web_socket_server ? WebSocketReader::Sender::client
                                               : WebSocketReader::Sender::server;
}

}  // namespace

StreamWire::StreamWire(Loop& loop, MemoryBudget& memory, Random& random,
                       std::unique_ptr<Stream> stream, const StreamWireTerms& terms,
                       std::string begun)
    : loop_(loop),
      memory_(memory),
      random_(random),
      stream_(std::move(stream)),
      terms_(terms),
      buffer_(std::move(begun)),
      lines_(terms.message_bytes_max),
      frames_(sender_of(terms.framing), terms.first_message_bytes_max != 0
                                            ? terms.first_message_bytes_max
                                            : terms.message_bytes_max),
      room_(loop),
      ending_(loop) {}

// --- Reading ------------------------------------------------------------------------------------

Task<Result<Bytes>> StreamWire::next() {
  const auto self = shared_from_this();
  while (!is_stopped_) {
    if (is_event_stream() && !buffer_.empty()) {
      co_return fail(ErrorCode::io_failed, Fault::client, "the client sent more than its request");
    }
    auto taken = is_web_socket() ? take_frames() : take_line();
    if (taken.has_value()) {
      if (std::exchange(is_first_, false)) frames_.set_message_bytes_max(terms_.message_bytes_max);
      begun_.reset();
      co_return *std::move(taken);
    }
    if (const auto error = co_await fill()) co_return std::unexpected(*error);
  }
  co_return fail(ErrorCode::closed, Fault::gateway, "the connection is not read any more");
}

/// The next line, if it is complete.
std::optional<Result<Bytes>> StreamWire::take_line() {
  while (consumed_ < buffer_.size()) {
    LineReader::Step step = lines_.step(std::string_view(buffer_).substr(consumed_));
    consumed_ += step.consumed;
    if (step.line.has_value() && !step.line->empty()) return *std::move(step.line);
    if (lines_.dropped_lines() == dropped_) continue;
    ++dropped_;
    if (std::exchange(is_out_of_memory_, false)) {
      return fail(ErrorCode::overloaded, Fault::gateway, std::string(kNoMemory));
    }
    return fail(ErrorCode::json_size, Fault::client, std::string(kTooLong));
  }
  if (!hold(memory_, held_, buffered())) {
    lines_.drop_line();
    is_out_of_memory_ = true;
  }
  return std::nullopt;
}

/// The next message, if it is complete. A protocol error ends a WebSocket.
std::optional<Result<Bytes>> StreamWire::take_frames() {
  while (consumed_ < buffer_.size()) {
    auto step = frames_.step(std::string_view(buffer_).substr(consumed_));
    if (!step.has_value()) {
      close_as(step.error().code, step.error().why);
      return fail(ErrorCode::io_failed, Fault::client, std::string(step.error().why));
    }
    consumed_ += step->consumed;
    if (!step->event.has_value()) continue;
    if (auto taken = take_event(*std::move(step->event))) return taken;
  }
  if (!hold(memory_, held_, buffered())) {
    close_as(CloseCode::internal_error, kNoMemory);
    return fail(ErrorCode::io_failed, Fault::gateway, std::string(kNoMemory));
  }
  return std::nullopt;
}

std::optional<Result<Bytes>> StreamWire::take_event(WebSocketEvent event) {
  switch (event.kind) {
    case WebSocketEvent::Kind::message:
      if (event.payload.empty()) return std::nullopt;
      return Bytes(std::move(event.payload));
    case WebSocketEvent::Kind::ping:
      pong_ = write_frame(WebSocketEvent::Kind::pong, event.payload, mask());
      if (!is_closing_ && !is_broken_ && !std::exchange(is_writing_, true)) {
        spawn(loop_, write_waiting());
      }
      return std::nullopt;
    case WebSocketEvent::Kind::pong:
      return std::nullopt;
    case WebSocketEvent::Kind::close:
      break;
  }
  close_as(CloseCode::normal, "");
  return fail(ErrorCode::closed, Fault::client, "the peer closed the WebSocket");
}

/// Waits for bytes. Returns why no more will come, or nothing.
Task<std::optional<Error>> StreamWire::fill() {
  buffer_.clear();
  consumed_ = 0;
  if (const auto why = find_delay()) {
    give_up(*why);
    co_return Error{ErrorCode::timed_out, Fault::client, std::string(*why)};
  }
  is_reading_ = true;
  const Result<void> came = co_await stream_->append_some(buffer_, kReadBytes, read_wait());
  is_reading_ = false;
  if (came.has_value()) {
    is_asked_ = false;
    co_return std::nullopt;
  }
  if (came.error().code != ErrorCode::timed_out) {
    // A WebSocket that ends without a close frame has broken off: nobody reads its responses.
    const bool is_gone = terms_.framing != Framing::lines || stream_->was_reset();
    if (is_gone) give_up("the peer broke off the connection");
    co_return came.error();
  }
  if (is_stopped_) co_return std::nullopt;
  if (is_event_stream()) {
    send(chunk_of(kSseKeepAlive));
    co_return std::nullopt;
  }
  if (!is_web_socket()) co_return std::nullopt;
  if (std::exchange(is_asked_, true)) {
    give_up("the peer answers no ping");
    co_return came.error();
  }
  send(write_frame(WebSocketEvent::Kind::ping, "", mask()));
  co_return std::nullopt;
}

/// Why a message takes too long, if it does: slow messages would hold memory for ever.
std::optional<std::string_view> StreamWire::find_delay() {
  const bool is_first_awaited = is_first_ && terms_.first_message_max.count() > 0;
  // A line that is too long holds no memory, but its connection.
  const bool has_begun = is_web_socket() ? frames_.buffered() > 0 : lines_.is_within_line();
  if (is_event_stream() || (!has_begun && !is_first_awaited)) {
    begun_.reset();
    return std::nullopt;
  }
  if (!begun_.has_value()) begun_ = steady_now();
  if (steady_now() < *begun_ + message_wait()) return std::nullopt;
  return has_begun ? "the peer does not end its message" : "the peer sends no message";
}

std::chrono::milliseconds StreamWire::message_wait() const {
  const bool is_first_awaited = is_first_ && terms_.first_message_max.count() > 0;
  return is_first_awaited ? terms_.first_message_max : terms_.message_max;
}

/// How long to wait for bytes before the next check.
std::chrono::milliseconds StreamWire::read_wait() const {
  if (!begun_.has_value()) return terms_.silence_max;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*begun_ + message_wait() - steady_now());
  return std::clamp(left, std::chrono::milliseconds(1), terms_.silence_max);
}

std::size_t StreamWire::buffered() const {
  return is_web_socket() ? frames_.buffered() : lines_.buffered();
}

/// Source: RFC 6455 §5.3: a client masks its frames with unpredictable bytes.
std::optional<std::array<std::uint8_t, 4>> StreamWire::mask() {
  if (terms_.framing != Framing::web_socket_client) return std::nullopt;
  return random_.draw<4>();
}

void StreamWire::stop_reading() {
  if (std::exchange(is_stopped_, true)) return;
  stream_->stop_waiting_to_read();
  room_.notify();
}

// --- Writing ------------------------------------------------------------------------------------

void StreamWire::write(std::string message) {
  if (is_closing_ || is_broken_) return;
  if (is_web_socket()) {
    return send(write_frame(WebSocketEvent::Kind::message, message, mask()));
  }
  if (is_event_stream()) return write_event("message", message);
  // Line ends in accepted JSON are only white space between tokens.
  std::ranges::replace(message, '\n', ' ');
  std::ranges::replace(message, '\r', ' ');
  message += '\n';
  send(std::move(message));
}

void StreamWire::write_event(std::string_view type, std::string_view data) {
  std::string event;
  append_event(event, {.data = data, .type = type});
  send(chunk_of(event));
}

void StreamWire::send(std::string bytes) {
  if (is_closing_ || is_broken_) return;
  // One large message may exceed the bound if nothing else waits; a queue may not.
  const std::size_t waiting = waiting_ + bytes.size() + kPieceBytes;
  const bool fits = pieces_.empty() || waiting <= terms_.queue_bytes_max;
  if (!fits || !hold_waiting(waiting)) return give_up("the peer is too slow for what it is sent");
  waiting_ = waiting;
  pieces_.push_back(std::move(bytes));
  if (!std::exchange(is_writing_, true)) spawn(loop_, write_waiting());
}

/// A principal's share is of the same budget, so bytes are held in only one of the two.
bool StreamWire::hold_waiting(std::size_t bytes) {
  if (shares_ == nullptr) return hold(memory_, waiting_memory_, bytes);
  if (!waiting_share_.hold(*shares_, principal_, bytes)) return false;
  waiting_memory_.release();
  return true;
}

void StreamWire::count_for(MemoryShares& shares, const std::string& principal) {
  if (shares_ != nullptr) return;
  shares_ = &shares;
  principal_ = principal;
}

Task<void> StreamWire::write_waiting() {
  const auto self = shared_from_this();
  while ((!pieces_.empty() || pong_.has_value()) && !is_broken_) {
    const bool is_pong = pong_.has_value();
    const std::string piece =
        is_pong ? *std::exchange(pong_, std::nullopt) : std::move(pieces_.front());
    if (!is_pong) pieces_.pop_front();
    const Result<void> written = co_await stream_->write(piece, limits::write_deadline);
    if (is_broken_) break;
    if (!written.has_value()) {
      give_up(written.error().code == ErrorCode::timed_out ? kStalled : "the peer is gone");
      break;
    }
    if (is_pong) continue;
    waiting_ -= piece.size() + kPieceBytes;
    // Shrinking always succeeds.
    static_cast<void>(hold_waiting(waiting_));
    if (has_room()) room_.notify();
  }
  is_writing_ = false;
  ending_.notify();
}

bool StreamWire::has_room() const {
  return waiting_.load(std::memory_order_relaxed) <= kEnoughWaits;
}

Task<void> StreamWire::wait_for_room() {
  const auto self = shared_from_this();
  while (!has_room() && !is_broken_ && !is_stopped_)
    co_await room_.wait(limits::write_deadline);
}

// --- The end ------------------------------------------------------------------------------------

void StreamWire::close(std::string_view why) {
  close_as(CloseCode::going_away, why);
}

void StreamWire::close_as(CloseCode code, std::string_view why) {
  if (is_closing_ || is_broken_) return;
  if (is_web_socket()) send(write_close(code, why, mask()));
  if (is_event_stream()) send(std::string(kLastChunk));
  is_closing_ = true;
  stop_reading();
  spawn(loop_, end());
}

Task<void> StreamWire::end() {
  const auto self = shared_from_this();
  const auto latest = steady_now() + kLastBytesWait;
  // The reader has been asked to stop, and lingering reads as well.
  while ((is_writing_ || is_reading_) && !is_broken_ && steady_now() < latest)
    co_await ending_.wait(limits::timer_tick);
  if (is_writing_ || is_reading_) give_up(kStalled);
  if (!is_broken_) co_await stream_->linger();
  has_ended_ = true;
}

Task<void> StreamWire::ended() {
  const auto self = shared_from_this();
  Signal pause(loop_);
  while (!has_ended_)
    co_await pause.wait(limits::timer_tick);
}

void StreamWire::give_up(std::string_view why) {
  if (std::exchange(is_broken_, true)) return;
  pieces_.clear();
  pong_.reset();
  waiting_ = 0;
  waiting_memory_.release();
  waiting_share_.release();
  is_stopped_ = true;
  has_ended_ = true;
  stream_->close();
  room_.notify();
  ending_.notify();
  if (broken_) std::exchange(broken_, nullptr)(why);
}

}  // namespace bartizan
