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
  /// Whether the same sequence of calls would be complete for the last of so many times, or was,
  /// and this call is one of it.
  bool closes_circle(const LoopConfig& loop, std::uint64_t next) const;
  /// The call was refused because it closes a circle: so are all calls of it, until another one
  /// follows, or nothing is remembered any more.
  void stop(const LoopConfig& loop, std::uint64_t next);
  void follow(const LoopConfig& loop, std::uint64_t call, Micros now);

  /// When nothing is remembered any more, unless another call comes.
  Micros forgotten_at(const LoopConfig& loop) const;
  /// Forgets what was called, if that was long enough ago.
  void forget(const LoopConfig& loop, Micros now);

 private:
  /// How many calls the shortest circle has that the next call closes; 0 where it closes none.
  std::size_t circle_closed_by(const LoopConfig& loop, std::uint64_t next) const;
  bool closes_circle_of(std::size_t length, std::size_t repeats, std::uint64_t next) const;

  std::vector<std::uint64_t> calls_;    ///< The newest at the end.
  std::vector<std::uint64_t> stopped_;  ///< Calls of a circle that was closed.
  Micros last_ = 0;
};

}  // namespace bartizan
