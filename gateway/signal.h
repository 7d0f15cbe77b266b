#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "gateway/asio.h"
#include "gateway/timer_wheel.h"

namespace bartizan {

/// Wakes one coroutine of the same worker: an event that is remembered until it is waited for.
///
/// Threads: those of its worker: one. One waiter at a time.
/// Cost:    a post to the loop for each wake; nothing is allocated while nobody waits.
class Signal {
 public:
  enum class Woken : bool { notified, timed_out };

  Signal(Executor executor, TimerWheel& wheel);
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  /// Returns when `notify` was called since the last return, or after `wait`.
  Task<Woken> wait(std::chrono::milliseconds wait);
  void notify();

 private:
  struct Waiter {
    virtual ~Waiter() = default;
    virtual void resume() = 0;
  };
  template <class Handler>
  struct WaiterOf;
  void wake();

  Executor executor_;
  Deadline deadline_;
  std::unique_ptr<Waiter> waiter_;
  bool notified_ = false;
};

}  // namespace bartizan
