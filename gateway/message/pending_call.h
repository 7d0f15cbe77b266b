#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "gateway/message/received_message.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The error of a call that a server did not run and would run now. The server lost the session in
/// which the call was sent, and has another one.
inline Error not_run(std::string why) {
  return {ErrorCode::not_found, Fault::server, std::move(why)};
}
inline bool was_not_run(const Error& error) {
  return error.code == ErrorCode::not_found && error.fault == Fault::server;
}

/// The messages of a server about one call, in order. They wait for the coroutine that handles the
/// call. Bounded: beyond `stream_queue_messages_max` only the answer still has room.
///
/// Threads: `deliver`, `fail`, `pause`, `wake`, `stand_aside` and the beginning from any worker;
///          all else on the owner's.
class PendingCall : public std::enable_shared_from_this<PendingCall> {
 public:
  explicit PendingCall(Loop& owner);
  /// One server's share of a call to several servers. Its messages go to `whole`, marked with
  /// `part`. Its failure is an error of that part, and does not end the whole.
  PendingCall(std::shared_ptr<PendingCall> whole, std::uint32_t part);

  /// False if there is no room: the server sends faster than the call reads. The answer always has
  /// room. A subscription needs every message, so it fails instead.
  /// Lifetime: `message` is left as it was when there is no room.
  [[nodiscard]] bool deliver(ReceivedMessage&& message);
  /// Ends the call from the gateway's side: the server failed, or the client cancelled.
  /// `retry_after` is the server's delay before a retry.
  void fail(Error error, std::optional<std::chrono::milliseconds> retry_after = std::nullopt);

  /// The server has disconnected from the call and will resume it. Calls the function of `on_pause`
  /// on the owner's worker. Does nothing for a call to several servers.
  void pause();
  void on_pause(std::move_only_function<void()> paused) { paused_ = std::move(paused); }

  /// Wakes the coroutine that awaits `woken`, on the owner's worker.
  void wake();
  /// Returns after `wake`, when the call has ended, or after `wait`; it may return earlier.
  /// Input: a call that was not sent yet.
  Task<void> woken(std::chrono::milliseconds wait);

  /// The next message, or the error that ended the call; timed_out after `wait`.
  Task<Result<ReceivedMessage>> next(std::chrono::milliseconds wait);

  /// Whether the call was ended from the gateway's side.
  bool has_ended() const { return end_.has_value(); }
  /// Reverts an end with `was_not_run`, so that the call can be sent again. False for another end,
  /// such as a cancellation by its client.
  bool reopen();
  std::optional<std::chrono::milliseconds> retry_after() const { return retry_after_; }
  /// Sets the server's beginning in which the call was last sent. Beginnings are numbered from 1.
  void note_beginning(std::uint64_t beginning) {
    beginning_.store(beginning, std::memory_order_relaxed);
  }
  /// The server's beginning in which the call was last sent; 0 before that. For a received message
  /// of the server it is the beginning of that message, or a later one.
  std::uint64_t beginning() const { return beginning_.load(std::memory_order_relaxed); }
  /// Messages without a number no longer belong to this call: it is a subscription, or waits for
  /// its client.
  void stand_aside(bool aside = true) { is_aside_.store(aside, std::memory_order_relaxed); }
  bool is_aside() const { return is_aside_.load(std::memory_order_relaxed); }
  /// Whether it is one server's share of a call to several.
  bool is_part() const { return whole_ != nullptr; }
  Loop& owner() { return *owner_; }

 private:
  void push(ReceivedMessage&& message);
  void end(Error error, std::optional<std::chrono::milliseconds> retry_after);
  void end_part(std::uint32_t part, const Error& error);

  Loop* owner_;
  std::atomic<std::size_t> held_ = 0;  ///< Messages on their way or waiting; answers do not count.
  std::atomic<std::uint64_t> beginning_ = 0;
  std::atomic<bool> is_aside_ = false;
  std::shared_ptr<PendingCall> whole_;
  std::uint32_t part_ = 0;
  Signal signal_;
  std::list<ReceivedMessage> messages_;
  std::optional<Error> end_;
  std::optional<std::chrono::milliseconds> retry_after_;
  std::move_only_function<void()> paused_;
};

}  // namespace bartizan
