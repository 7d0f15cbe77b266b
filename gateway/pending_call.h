#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "gateway/loop.h"
#include "gateway/received_message.h"
#include "gateway/signal.h"
#include "schemas/result.h"

namespace bartizan {

/// What a server sends about one call, in order, waiting for the coroutine that handles the call.
/// Bounded: a server that sends more than the call takes off has its call failed.
///
/// Threads: `deliver` and `fail` from any worker; the rest on the owner's.
class PendingCall : public std::enable_shared_from_this<PendingCall> {
 public:
  explicit PendingCall(Loop& owner);
  /// One server's share of a call to several: what it delivers goes to `whole`, marked with `part`;
  /// its failure is an error of that part, not the end of the whole.
  PendingCall(std::shared_ptr<PendingCall> whole, std::uint32_t part);

  void deliver(ReceivedMessage message);
  /// Ends the call from the gateway's side: the server failed, the client cancelled.
  void fail(Error error);

  /// The next message, or why there will be none; timed_out after `wait`.
  Task<Result<ReceivedMessage>> next(std::chrono::milliseconds wait);

  /// Whether the call was ended from the gateway's side.
  bool has_ended() const { return end_.has_value(); }
  Loop& owner() { return *owner_; }

 private:
  void push(ReceivedMessage message);
  void end(Error error);
  void end_part(std::uint32_t part, const Error& error);

  Loop* owner_;
  std::atomic<std::size_t> on_its_way_ = 0;  ///< Posted to the owner, and not there yet.
  std::shared_ptr<PendingCall> whole_;
  std::uint32_t part_ = 0;
  Signal signal_;
  std::deque<ReceivedMessage> messages_;
  std::optional<Error> end_;
};

}  // namespace bartizan
