#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/framing/message_wire.h"
#include "gateway/framing/web_socket_frame.h"
#include "gateway/net/stream.h"
#include "gateway/process/line_reader.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/random.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

/// How messages are delimited on a stream.
enum class Framing : std::uint8_t {
  lines,              ///< One message per line.
  web_socket_server,  ///< WebSocket, whose peer is the client.
  web_socket_client,  ///< WebSocket, whose peer is the server.
  event_stream        ///< The body of an HTTP response, in chunks: nothing is read.
};

/// The bounds of a wire over a stream.
struct StreamWireTerms {
  Framing framing = Framing::lines;
  std::size_t message_bytes_max = 0;
  /// A smaller bound for the first message; 0 for no other bound. For WebSockets only.
  std::size_t first_message_bytes_max = 0;
  std::size_t queue_bytes_max = 0;  ///< Of the queue for a slow reader.
  /// A WebSocket that is silent for this long gets a ping. It breaks after as long again without
  /// any data.
  std::chrono::milliseconds silence_max{30'000};
  /// The longest time from a message's first byte to its last.
  std::chrono::milliseconds message_max{30'000};
  /// The longest time for the first message; 0 for no limit.
  std::chrono::milliseconds first_message_max{0};
};

/// Messages over a TCP connection or a Unix socket, with TLS or without.
///
/// A wire breaks if its peer takes no byte for `limits::write_deadline`, or its queue exceeds the
/// bound. A WebSocket responds to pings by itself, and sends the reason of its close. No extension
/// is negotiated, so nothing is compressed. An event stream is kept alive by comments.
///
/// Threads: those of its loop, except `is_flushed`.
/// Source:  RFC 6455 §5, §7; MCP 2026-07-28, basic/transports, "Custom Transports".
class StreamWire final : public MessageWire, public std::enable_shared_from_this<StreamWire> {
 public:
  /// Input: a connected stream, upgraded if it carries a WebSocket; `begun`, bytes that arrived
  /// already.
  StreamWire(Loop& loop, MemoryBudget& memory, Random& random, std::unique_ptr<Stream> stream,
             const StreamWireTerms& terms, std::string begun = {});

  Task<Result<Bytes>> next() override;
  void write(std::string message) override;
  bool has_room() const override;
  Task<void> wait_for_room() override;
  bool is_flushed() const override { return waiting_.load(std::memory_order_relaxed) == 0; }
  void on_broken(std::move_only_function<void(std::string_view why)> broken) override {
    broken_ = std::move(broken);
  }
  bool is_closing() const override { return is_closing_; }
  void stop_reading() override;
  void close(std::string_view why) override;
  void break_off(std::string_view why) override { give_up(why); }
  Task<void> ended() override;
  void count_for(MemoryShares& shares, const std::string& principal) override;

  /// Sends an event of a type other than `message`. For event streams only.
  void write_event(std::string_view type, std::string_view data);
  /// Ends the wire with that code; lines have none.
  void close_as(CloseCode code, std::string_view why);
  const Stream& stream() const { return *stream_; }

 private:
  bool is_web_socket() const {
    return terms_.framing == Framing::web_socket_server ||
           terms_.framing == Framing::web_socket_client;
  }
  bool is_event_stream() const { return terms_.framing == Framing::event_stream; }
  std::optional<std::array<std::uint8_t, 4>> mask();
  std::optional<Result<Bytes>> take_line();
  std::optional<Result<Bytes>> take_frames();
  std::optional<Result<Bytes>> take_event(WebSocketEvent event);
  Task<std::optional<Error>> fill();
  std::size_t buffered() const;
  std::optional<std::string_view> find_delay();
  std::chrono::milliseconds message_wait() const;
  std::chrono::milliseconds read_wait() const;
  void send(std::string bytes);
  bool hold_waiting(std::size_t bytes);
  Task<void> write_waiting();
  Task<void> end();
  void give_up(std::string_view why);

  Loop& loop_;
  MemoryBudget& memory_;
  Random& random_;
  std::unique_ptr<Stream> stream_;
  StreamWireTerms terms_;
  std::string buffer_;        ///< Received bytes.
  std::size_t consumed_ = 0;  ///< The parsed part of `buffer_`.
  LineReader lines_;
  WebSocketReader frames_;
  MemoryBudget::Reservation held_;
  std::uint64_t dropped_ = 0;
  bool is_out_of_memory_ = false;
  bool is_asked_ = false;  ///< A ping was sent, and nothing has come since.
  bool is_reading_ = false;
  bool is_stopped_ = false;
  std::deque<std::string> pieces_;
  std::atomic<std::size_t> waiting_ = 0;      ///< Bytes of `pieces_`, with their overhead.
  MemoryBudget::Reservation waiting_memory_;  ///< Used until the wire counts for a principal.
  MemoryShares* shares_ = nullptr;  ///< The shares that `principal_` has a part of; null for none.
  std::string principal_;
  MemoryShares::Held waiting_share_;
  std::optional<std::string> pong_;  ///< The response to the newest ping; earlier ones need none.
  bool is_writing_ = false;
  bool is_closing_ = false;  ///< Nothing is written any more.
  bool is_broken_ = false;
  bool has_ended_ = false;
  /// When the current message began, or the wait for the first one.
  std::optional<std::chrono::steady_clock::time_point> begun_;
  bool is_first_ = true;  ///< No message has come yet.
  Signal room_, ending_;
  std::move_only_function<void(std::string_view)> broken_;
};

}  // namespace bartizan
