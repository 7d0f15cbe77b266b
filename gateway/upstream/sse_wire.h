#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/framing/message_wire.h"
#include "gateway/http/http_client.h"
#include "gateway/http/sse.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/server_definition.h"

namespace bartizan {

/// The request target for messages to a server of 2024-11-05, from its `endpoint` event: a path, or
/// a URL of the server's own origin.
/// Input:  `url` and `target` of the event stream, `said`.
/// Errors: server_failed for another origin, and for an invalid URL. Messages to it carry the
///         gateway's credentials (CWE-918).
/// Source: RFC 3986 §5.2; MCP 2024-11-05, basic/transports, "HTTP with SSE".
Result<std::string> find_message_target(const ServerUrl& url, std::string_view said);

/// A server with the transport of 2024-11-05. It sends events on one stream. Each message to it is
/// a separate POST, in order.
///
/// Bounded: by the largest message, and by the messages that wait to be posted.
/// Threads: those of its loop, except `is_flushed`.
class SseWire final : public MessageWire, public std::enable_shared_from_this<SseWire> {
 public:
  SseWire(Loop& loop, MemoryBudget& memory, ServerDefinitionPtr definition);

  /// Opens the stream and reads the target for messages. Called once.
  Task<Result<void>> open(std::chrono::milliseconds wait);

  Task<Result<Bytes>> next() override;
  void write(std::string message) override;
  bool has_room() const override;
  Task<void> wait_for_room() override;
  bool is_flushed() const override { return waiting_.load(std::memory_order_relaxed) == 0; }
  void on_broken(std::move_only_function<void(std::string_view why)> broken) override {
    broken_ = std::move(broken);
  }
  bool is_closing() const override { return is_over_; }
  void stop_reading() override;
  void close(std::string_view why) override;

 private:
  struct Piece {
    std::string text;
    MemoryBudget::Reservation memory = {};
  };

  Task<Result<SseEvent>> next_event(std::chrono::milliseconds wait);
  Result<std::string> head_of(std::string_view method, std::string_view target,
                              std::size_t body_bytes) const;
  Task<void> post_waiting();
  Task<Result<void>> post(const std::string& text);
  void give_up(std::string_view why);

  Loop& loop_;
  MemoryBudget& memory_;
  ServerDefinitionPtr definition_;
  HttpClient client_;
  HttpConnectionPtr stream_;  ///< The stream of events, while it is open.
  SseReader events_;
  MemoryBudget::Reservation held_;
  std::string rest_;    ///< Received but not yet read.
  std::string target_;  ///< The target for messages.
  std::deque<Piece> pieces_;
  std::atomic<std::size_t> waiting_ = 0;  ///< Bytes of `pieces_`.
  bool is_posting_ = false;
  bool is_over_ = false;
  Signal room_;
  std::move_only_function<void(std::string_view)> broken_;
};

/// Errors: those of `open_server_wire`.
Task<Result<std::shared_ptr<MessageWire>>> open_sse_wire(Loop& loop, MemoryBudget& memory,
                                                         ServerDefinitionPtr definition,
                                                         std::chrono::milliseconds wait);

}  // namespace bartizan
