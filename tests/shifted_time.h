#pragma once

#include <atomic>
#include <chrono>

#include "gateway/runtime/clock.h"

namespace bartizan {

/// The machine's time, put forward by what a test has asked for.
///
/// Threads: any.
class ShiftedTime final : public TimeSource {
 public:
  std::chrono::steady_clock::time_point steady() const override {
    return machine_time().steady() + shift();
  }
  std::chrono::system_clock::time_point date() const override {
    return machine_time().date() + shift();
  }

  /// From now on it is that much later.
  void pass(std::chrono::milliseconds time) { milliseconds_ += time.count(); }

 private:
  std::chrono::milliseconds shift() const { return std::chrono::milliseconds(milliseconds_); }

  std::atomic<std::chrono::milliseconds::rep> milliseconds_ = 0;
};

}  // namespace bartizan
