#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_shares.h"
#include "schemas/base/bytes.h"
#include "schemas/base/result.h"

namespace bartizan {

/// A two-way connection that carries whole messages: lines, or WebSocket messages. Reading and
/// writing go on at the same time.
///
/// Bounded: by the largest message, and by what may wait for a slow reader.
/// Threads: those of its loop, except `is_flushed`.
class MessageWire {
 public:
  MessageWire() = default;
  MessageWire(const MessageWire&) = delete;
  MessageWire& operator=(const MessageWire&) = delete;
  virtual ~MessageWire() = default;

  /// The next message; never an empty one.
  /// Errors: `json_size` for a message that was too long and `overloaded` for one that found no
  ///         memory: each was dropped, and the wire goes on. After any other error it has ended:
  ///         `closed` where the peer ended its side in order.
  virtual Task<Result<Bytes>> next() = 0;

  /// Sends a message: at once while the peer keeps up, from a bounded queue otherwise. Nothing is
  /// ever dropped: a wire that cannot take it is broken, and takes nothing any more.
  virtual void write(std::string message) = 0;
  /// Whether little enough waits that more may be asked for.
  virtual bool has_room() const = 0;
  /// Returns once there is room, or the wire is broken.
  virtual Task<void> wait_for_room() = 0;
  /// Whether everything that was written has left, or never will.
  virtual bool is_flushed() const = 0;
  /// `broken` is called once where nothing can be written any more, with a sentence of ours.
  virtual void on_broken(std::move_only_function<void(std::string_view why)> broken) = 0;

  /// Whether it is being ended, such as by a peer that wants no answers any more.
  virtual bool is_closing() const = 0;
  /// Has `next` end soon. What was written still leaves.
  virtual void stop_reading() = 0;
  /// Ends the wire, once what was written has left, for which it has a while: a WebSocket is told
  /// why.
  virtual void close(std::string_view why) = 0;
  /// Ends the wire at once, and drops what waits.
  virtual void break_off(std::string_view why) { close(why); }
  /// Returns once the wire has ended, after `close` or `break_off`.
  virtual Task<void> ended() { co_return; }
  /// From now on what waits for the reader is in that principal's share of memory, too.
  virtual void count_for(MemoryShares& /*shares*/, const std::string& /*principal*/) {}
};

/// Whether a wire goes on after that error of `next`.
inline bool goes_on(const Error& error) {
  return error.code == ErrorCode::json_size || error.code == ErrorCode::overloaded;
}

}  // namespace bartizan
