#pragma once

#include <chrono>

#include "gateway/runtime/clock.h"

namespace bartizan {

/// The machine's time, so many times as fast, so that pauses of half a minute are short. Dates stay
/// the machine's.
///
/// Threads: any.
class FastTime final : public TimeSource {
 public:
  explicit FastTime(int times = 100) : times_(times) {}

  std::chrono::steady_clock::time_point steady() const override {
    return begun_ + times_ * (machine_time().steady() - begun_);
  }
  std::chrono::system_clock::time_point date() const override { return machine_time().date(); }

 private:
  int times_;
  std::chrono::steady_clock::time_point begun_ = machine_time().steady();
};

}  // namespace bartizan
