#pragma once

#include <cstdint>
#include <limits>

#include "config/config.h"

namespace bartizan {

/// Time is counted in whole microseconds: fine enough for any rate, and coarse enough that a token
/// bucket's level fits 63 bits.
using Micros = std::int64_t;

/// What one call takes from windows that do not count calls.
struct CallWeight {
  std::uint64_t cost = 1;
  std::uint64_t bytes = 0;
};

/// One window of a limit as a token bucket. A token weighs as much as the window has ticks, so each
/// tick refills exactly the rate's count, and no remainder is ever lost.
struct LimitWindow {
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  LimitWindow(const LimitConfig& limit, const Rate& rate);

  LimitUnit unit;
  Micros tick;
  std::int64_t token;
  std::int64_t refill;  ///< In one tick.
  std::int64_t capacity;

  /// The level at `now`, starting from what it was at `then`. Whole ticks since the clock began are
  /// compared, so that parts of one are not lost from call to call.
  std::int64_t refilled(std::int64_t level, Micros then, Micros now) const;
  /// How long until the level has risen to `wanted`, at most.
  Micros until(std::int64_t level, std::int64_t wanted) const;
  /// What the call weighs; more than any level where it weighs too much.
  std::int64_t weight_of(const CallWeight& call) const;
  /// The level behind what is counted after the fact: it may come to owe, up to a bound.
  std::int64_t indebted(std::int64_t level, const CallWeight& call) const;
};

}  // namespace bartizan
