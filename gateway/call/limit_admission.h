#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/worker/shared_limits.h"

namespace bartizan {

/// Charges the limits of a call. The call waits for a slot if it may. At its end it releases its
/// slots, and is charged for its response, from servers or from the gateway itself.
///
/// Lifetime: within its frame.
class LimitAdmission {
 public:
  explicit LimitAdmission(CallFrame& frame) : frame_(frame) {}
  LimitAdmission(const LimitAdmission&) = delete;
  LimitAdmission& operator=(const LimitAdmission&) = delete;
  ~LimitAdmission();

  /// Charges the limits of the policy that judged the call. A call that has waited too long, or may
  /// not wait, is refused.
  SharedLimits::Answer take(bool may_wait);
  /// Waits until a slot may be free, the call has ended, or its time is over.
  /// Input: a call for which `take` has just returned that it waits.
  Task<void> wait();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t { outside, waiting, taken };

  /// Another policy has other queues.
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
