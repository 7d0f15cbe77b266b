#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/runtime/signal.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The handshake of one server instance. One coroutine introduces the gateway to the server. Others
/// that need the result wait for its end.
///
/// Threads: those of its home loop.
class HandshakeGate {
 public:
  /// Input: `failure`, the error to report before any handshake.
  HandshakeGate(Loop& home, Error failure) : home_(home), failure_(std::move(failure)) {}

  /// A handshake is in progress until `end` or `fail`.
  void begin();
  /// The server's introduction. It is valid at once, even before `end`.
  void learn(ServerHandshake introduction) { introduction_ = std::move(introduction); }
  /// The handshake is over. Wakes the waiting coroutines.
  void end();
  /// The handshake failed with that error. Wakes the waiting coroutines.
  void fail(Error error);
  /// The introduction is no longer valid. Nobody is woken.
  void forget() { introduction_.reset(); }
  /// Sets the failure to report, before the handshake is over.
  void explain(Error error) { failure_ = std::move(error); }

  bool is_going_on() const { return is_going_on_; }
  bool has_waiters() const { return !waiters_.empty(); }
  /// Waits for the end of the running handshake, at most that long. Returns at once if none is
  /// running.
  Task<void> wait(std::chrono::milliseconds longest);

  /// The server's introduction, if there is one.
  const std::optional<ServerHandshake>& introduction() const { return introduction_; }
  const Error& failure() const { return failure_; }

 private:
  Loop& home_;
  std::optional<ServerHandshake> introduction_;
  Error failure_;
  bool is_going_on_ = false;
  std::vector<std::shared_ptr<Signal>> waiters_;
};

}  // namespace bartizan
