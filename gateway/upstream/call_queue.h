#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "gateway/upstream/in_flight.h"

namespace bartizan {

/// Calls that wait for room at one server instance, in their order: behind a handshake, or because
/// it has as many in progress as it may have.
///
/// Threads: those of its instance.
class CallQueue {
 public:
  /// A call, and which beginning of the instance it was judged for.
  struct Waiting {
    OutboundRequest request;
    std::shared_ptr<PendingCall> pending;
    std::uint64_t judged_for = 0;
  };
  /// Sends a call. Whoever does so adds it to what is in flight, or fails it.
  using Begin = std::function<void(Waiting&&)>;
  /// Input: `in_flight` outlives the queue, and so does what `begin` refers to.
  CallQueue(const InFlight& in_flight, Begin begin)
      : in_flight_(in_flight), begin_(std::move(begin)) {}

  /// Begins a call where the instance is ready and has room. It waits otherwise, and fails with
  /// `overloaded` where `limits::server_queue_calls_max` wait already.
  void take(Waiting&& call, bool is_ready);
  /// Begins what waits, for as long as there is room. Input: the instance is ready.
  void begin_waiting();
  /// Removes a call that waits; false when it does not wait.
  bool forget(const std::shared_ptr<PendingCall>& pending);
  /// Fails everything that waits.
  void fail(const Error& error);
  std::size_t size() const { return waiting_.size(); }

 private:
  const InFlight& in_flight_;
  Begin begin_;
  std::deque<Waiting> waiting_;
};

}  // namespace bartizan
