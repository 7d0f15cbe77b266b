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

/// A server did nothing with the call, and would do it now: it has lost the session in which it was
/// sent, and has another one.
inline Error not_run(std::string why) {
  return {ErrorCode::not_found, Fault::server, std::move(why)};
}
inline bool was_not_run(const Error& error) {
  return error.code == ErrorCode::not_found && error.fault == Fault::server;
}

/// What a server sends about one call, in order, waiting for the coroutine that handles the call.
/// Bounded: beyond `stream_queue_messages_max` only the answer still has room.
///
/// Threads: `deliver`, `fail`, `pause`, `wake`, `stand_aside` and the beginning from any worker;
/// all else on the
///          owner's.
class PendingCall : public std::enable_shared_from_this<PendingCall> {
 public:
  explicit PendingCall(Loop& owner);
  /// One server's share of a call to several: what it delivers goes to `whole`, marked with `part`;
  /// its failure is an error of that part, not the end of the whole.
  PendingCall(std::shared_ptr<PendingCall> whole, std::uint32_t part);

  /// False when there is no room: the server sends faster than the call takes off. The answer
  /// always has room, and a subscription, whose every message counts, is failed instead.
  /// Lifetime: `message` is left as it was when there is no room.
  [[nodiscard]] bool deliver(ReceivedMessage&& message);
  /// Ends the call from the gateway's side: the server failed, the client cancelled. `retry_after`:
  /// when the server wants to be asked again.
  void fail(Error error, std::optional<std::chrono::milliseconds> retry_after = std::nullopt);

  /// The server has gone away from the call and will come back to it: `paused` is told, on the
  /// owner's worker. Of a call to several servers nobody is told.
  void pause();
  void on_pause(std::move_only_function<void()> paused) { paused_ = std::move(paused); }

  /// Wakes whoever awaits `woken`, on the owner's worker.
  void wake();
  /// Returns after `wake`, when the call has ended, or after `wait`; maybe earlier.
  /// Input: a call that was sent to nobody yet.
  Task<void> woken(std::chrono::milliseconds wait);

  /// The next message, or why there will be none; timed_out after `wait`.
  Task<Result<ReceivedMessage>> next(std::chrono::milliseconds wait);

  /// Whether the call was ended from the gateway's side.
  bool has_ended() const { return end_.has_value(); }
  /// Takes an end back by which nothing was done (`was_not_run`), for the call to be sent once
  /// more. False where it has ended otherwise, such as by its client.
  bool reopen();
  std::optional<std::chrono::milliseconds> retry_after() const { return retry_after_; }
  /// The server's beginnings are numbered from 1. Says in which one it was last sent.
  void note_beginning(std::uint64_t beginning) {
    beginning_.store(beginning, std::memory_order_relaxed);
  }
  /// In which beginning of the server it was last sent; 0 before that. Whoever has a message of the
  /// server's about the call sees that of this message, or a later one.
  std::uint64_t beginning() const { return beginning_.load(std::memory_order_relaxed); }
  /// From now on no message that names no call is about this one: it is a subscription, or waits
  /// for its client.
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
  std::atomic<std::size_t> held_ = 0;  ///< Messages, not answers: on their way, or waiting here.
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
