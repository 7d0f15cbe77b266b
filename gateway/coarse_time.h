#pragma once

#include <chrono>
#include <cstdint>

namespace bartizan {

/// The time that deadlines and periods go by, but for those of limits: up to a tick of the kernel,
/// 10 ms at most, behind `steady_clock`, at a fifth of its cost. Not for how long something took.
///
/// Source: clock_gettime(2), CLOCK_MONOTONIC_COARSE.
std::chrono::steady_clock::time_point coarse_now();

/// Seconds since 1970 UTC, by the same kind of clock.
std::int64_t seconds_now();
/// Milliseconds since then.
std::uint64_t milliseconds_now();

}  // namespace bartizan
