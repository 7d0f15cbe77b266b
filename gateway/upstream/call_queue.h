#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "gateway/upstream/in_flight.h"

namespace bartizan {

/// The calls that wait for room at one server instance, in their order. They wait for a handshake,
/// or because the instance has its maximum of calls in progress.
///
/// Threads: those of its instance.
class CallQueue {
 public:
  /// A call, and the beginning of the instance that it was judged for.
  struct Waiting {
    OutboundRequest request;
    std::shared_ptr<PendingCall> pending;
    std::uint64_t judged_for = 0;
  };
  /// Sends a call. It adds the call to the calls in flight, or fails it.
  using Begin = std::function<void(Waiting&&)>;
  /// Lifetime: `in_flight`, and the objects that `begin` refers to, outlive the queue.
  CallQueue(const InFlight& in_flight, Begin begin)
      : in_flight_(in_flight), begin_(std::move(begin)) {}

  /// Begins a call if the instance is ready and has room. Otherwise the call waits. It fails with
  /// `overloaded` if `limits::server_queue_calls_max` calls wait already.
  void take(Waiting&& call, bool is_ready);
  /// Begins waiting calls while there is room. Input: the instance is ready.
  void begin_waiting();
  /// Removes a waiting call; false if it does not wait.
  bool forget(const std::shared_ptr<PendingCall>& pending);
  /// Fails all waiting calls.
  void fail(const Error& error);
  std::size_t size() const { return waiting_.size(); }

 private:
  const InFlight& in_flight_;
  Begin begin_;
  std::deque<Waiting> waiting_;
};

}  // namespace bartizan
