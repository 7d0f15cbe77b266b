#pragma once

#include <cstdint>
#include <limits>

#include "config/config.h"

namespace bartizan {

/// Time in whole microseconds. This is fine enough for any rate, and coarse enough for a token
/// bucket's level to fit 63 bits.
using Micros = std::int64_t;

/// The amounts that one call takes from windows that do not count calls.
struct CallWeight {
  std::uint64_t cost = 1;
  std::uint64_t bytes = 0;
};

/// One window of a limit as a token bucket. A token is as large as the number of ticks in the
/// window. Each tick thus refills exactly the rate's count, without a remainder.
struct LimitWindow {
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  LimitWindow(const LimitConfig& limit, const Rate& rate);

  LimitUnit unit;
  Micros tick;
  std::int64_t token;
  std::int64_t refill;  ///< In one tick.
  std::int64_t capacity;

  /// The level at `now`, from the level at `then`. It compares whole ticks since the clock began,
  /// so that parts of a tick are not lost between calls.
  std::int64_t refilled(std::int64_t level, Micros then, Micros now) const;
  /// The longest time until the level has risen to `wanted`.
  Micros until(std::int64_t level, std::int64_t wanted) const;
  /// The weight of the call; more than any level if it is too large.
  std::int64_t weight_of(const CallWeight& call) const;
  /// The level after an amount that is counted after the fact. It may become negative, down to a
  /// bound.
  std::int64_t indebted(std::int64_t level, const CallWeight& call) const;
};

}  // namespace bartizan
