#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/timer_wheel.h"

namespace bartizan {

/// An event for one coroutine of the same worker. It is remembered until it is waited for.
///
/// Lifetime: a coroutine that waits for a destroyed signal must be destroyed with it.
/// Threads:  those of its worker: one. One waiter at a time.
/// Cost:     a place in the loop's turn for each wake; nothing is allocated.
class Signal {
 public:
  enum class Woken : bool { notified, timed_out };
  class Wait;

  explicit Signal(Loop& loop)
      : loop_(loop),
        deadline_(loop.wheel(), [](void* self) { static_cast<Signal*>(self)->wake(); }, this) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  /// Returns if `notify` was called since the last return, or after `wait`.
  Wait wait(std::chrono::milliseconds wait);
  void notify() {
    notified_ = true;
    wake();
  }

 private:
  // In a later round, not at once: the notifier continues first, so no frame is entered twice.
  void wake() {
    if (!waiter_.has_value()) return;
    Wakeup wakeup = std::move(*waiter_);
    waiter_.reset();
    loop_.run_in_turn(std::move(wakeup));
  }

  Loop& loop_;
  Deadline deadline_;
  std::optional<Wakeup> waiter_;
  bool notified_ = false;
};

/// One wait, to be awaited at once.
class [[nodiscard]] Signal::Wait {
 public:
  Wait(Signal& signal, std::chrono::milliseconds wait) : signal_(signal), wait_(wait) {}

  bool await_ready() const noexcept { return signal_.notified_; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    signal_.deadline_.arm(wait_);
    signal_.waiter_.emplace(awaiting);
  }
  Woken await_resume() {
    signal_.deadline_.cancel();
    return std::exchange(signal_.notified_, false) ? Woken::notified : Woken::timed_out;
  }

 private:
  Signal& signal_;
  std::chrono::milliseconds wait_;
};

inline Signal::Wait Signal::wait(std::chrono::milliseconds wait) {
  return {*this, wait};
}

}  // namespace bartizan
