#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/config.h"
#include "policy/limit/limit_window.h"

namespace bartizan {

/// The last calls of one bucket, each by a number that stands for it, to find out whether they go
/// round in a circle. Bounded by what the limit looks at.
class CallChain {
 public:
  /// Whether the same sequence of calls would be complete for the last of so many times.
  bool closes_circle(const LoopConfig& loop, std::uint64_t next) const;
  void follow(const LoopConfig& loop, std::uint64_t call, Micros now);

  /// When nothing is remembered any more, unless another call comes.
  Micros forgotten_at(const LoopConfig& loop) const;
  /// Forgets what was called, if that was long enough ago.
  void forget(const LoopConfig& loop, Micros now);

 private:
  bool closes_circle_of(std::size_t length, std::size_t repeats, std::uint64_t next) const;

  std::vector<std::uint64_t> calls_;  ///< The newest at the end.
  Micros last_ = 0;
};

}  // namespace bartizan
