#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/config.h"
#include "policy/limit/limit_window.h"

namespace bartizan {

/// The last calls of one bucket, each as a number that stands for it. It detects calls that repeat
/// in a circle. Bounded by the limit's `LoopConfig`.
class CallChain {
 public:
  /// Whether `next` completes the last allowed repetition of a sequence of calls, or belongs to a
  /// circle that was stopped.
  bool closes_circle(const LoopConfig& loop, std::uint64_t next) const;
  /// Records that the call was refused because it closes a circle. All calls of the circle are then
  /// refused, until another call follows or the memory ends.
  void stop(const LoopConfig& loop, std::uint64_t next);
  void follow(const LoopConfig& loop, std::uint64_t call, Micros now);

  /// The time at which the memory ends, unless another call comes.
  Micros forgotten_at(const LoopConfig& loop) const;
  /// Forgets all calls if the memory has ended.
  void forget(const LoopConfig& loop, Micros now);

 private:
  /// The number of calls of the shortest circle that `next` closes; 0 for none.
  std::size_t circle_closed_by(const LoopConfig& loop, std::uint64_t next) const;
  bool closes_circle_of(std::size_t length, std::size_t repeats, std::uint64_t next) const;

  std::vector<std::uint64_t> calls_;    ///< The newest at the end.
  std::vector<std::uint64_t> stopped_;  ///< The calls of a closed circle.
  Micros last_ = 0;
};

}  // namespace bartizan
