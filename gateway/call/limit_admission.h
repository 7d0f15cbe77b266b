#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/worker/shared_limits.h"

namespace bartizan {

/// A call at the limits: waits for its turn where it may, takes, and at its end gives its slots
/// back and is charged with what it was answered: what servers sent, or what the gateway said
/// itself.
///
/// Lifetime: within its frame.
class LimitAdmission {
 public:
  explicit LimitAdmission(CallFrame& frame) : frame_(frame) {}
  LimitAdmission(const LimitAdmission&) = delete;
  LimitAdmission& operator=(const LimitAdmission&) = delete;
  ~LimitAdmission();

  /// Takes what the policy that the call is judged by now asks for. One that has waited its time
  /// is refused, and so is one that may not wait.
  SharedLimits::Answer take(bool may_wait);
  /// Waits until it may be its turn, the call has ended, or its time is over.
  /// Input: a call that `take` has just told to wait.
  Task<void> wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { outside, waiting, taken };

  /// The queues of another policy are others.
  void follow_policy();
  void leave();
  void begin_waiting(const SharedLimits::Waits& waits);

  CallFrame& frame_;
  State state_ = State::outside;
  std::shared_ptr<const Policy> policy_;
  SharedLimits::Draws draws_;
  Ticket ticket_ = 0;
  std::string limit_;  ///< The name of the one that it waits for.
  std::optional<Clock::time_point> deadline_;
};

}  // namespace bartizan
