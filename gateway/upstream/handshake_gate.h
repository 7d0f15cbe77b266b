#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/runtime/signal.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The handshake of one server instance: one coroutine asks the server who it is, and whoever needs
/// the answer meanwhile waits for its end.
///
/// Threads: those of its home loop.
class HandshakeGate {
 public:
  /// Input: `failure`, why there is no answer while nobody has asked.
  HandshakeGate(Loop& home, Error failure) : home_(home), failure_(std::move(failure)) {}

  /// A handshake is going on from now on, until `end` or `fail`.
  void begin();
  /// What the server said. It holds at once, also before `end`.
  void learn(ServerHandshake introduction) { introduction_ = std::move(introduction); }
  /// The handshake is over; who waits goes on with what holds now.
  void end();
  /// The handshake is over without an answer, for that reason.
  void fail(Error error);
  /// What the server said holds no longer. Nobody is woken.
  void forget() { introduction_.reset(); }
  /// Why there is no answer, should somebody ask now: what is known before it is over.
  void explain(Error error) { failure_ = std::move(error); }

  bool is_going_on() const { return is_going_on_; }
  bool has_waiters() const { return !waiters_.empty(); }
  /// Until the handshake that is going on is over, at most that long; not at all where none is.
  Task<void> wait(std::chrono::milliseconds longest);

  /// What the server said, if it did.
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
