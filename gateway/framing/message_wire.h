#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_shares.h"
#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A two-way connection for whole messages: lines, or WebSocket messages. It reads and writes
/// concurrently.
///
/// Bounded: by the largest message, and by the queue for a slow reader.
/// Threads: those of its loop, except `is_flushed`.
class MessageWire {
 public:
  MessageWire() = default;
  MessageWire(const MessageWire&) = delete;
  MessageWire& operator=(const MessageWire&) = delete;
  virtual ~MessageWire() = default;

  /// Returns the next message; it is never empty.
  /// Errors: `json_size` for a message that was too long, and `overloaded` for one without memory.
  /// Each was dropped, and the wire goes on. After any other error the wire has ended; it is
  /// `closed` if the peer ended its side in order.
  virtual Task<Result<Bytes>> next() = 0;

  /// Sends a message: at once while the peer keeps up, otherwise through a bounded queue. Messages
  /// are never dropped: a wire whose queue is full breaks, and takes no more.
  virtual void write(std::string message) = 0;
  /// Whether the queue is short enough for more.
  virtual bool has_room() const = 0;
  /// Returns once there is room, or the wire is broken.
  virtual Task<void> wait_for_room() = 0;
  /// Whether everything written has been sent, or never will be.
  virtual bool is_flushed() const = 0;
  /// Sets a callback that runs once when the wire breaks, with a sentence of the gateway.
  virtual void on_broken(std::move_only_function<void(std::string_view why)> broken) = 0;

  /// Whether the wire is ending, for example because the peer wants no more responses.
  virtual bool is_closing() const = 0;
  /// Makes `next` end soon. Written messages are still sent.
  virtual void stop_reading() = 0;
  /// Ends the wire after the written messages have been sent, within a time limit. A WebSocket gets
  /// the reason.
  virtual void close(std::string_view why) = 0;
  /// Ends the wire at once, and drops the queue.
  virtual void break_off(std::string_view why) { close(why); }
  /// Returns once the wire has ended, after `close` or `break_off`.
  virtual Task<void> ended() { co_return; }
  /// Counts the queue in that principal's share of memory from now on.
  virtual void count_for(MemoryShares& /*shares*/, const std::string& /*principal*/) {}
};

/// Whether a wire goes on after that error of `next`.
inline bool goes_on(const Error& error) {
  return error.code == ErrorCode::json_size || error.code == ErrorCode::overloaded;
}

}  // namespace bartizan
