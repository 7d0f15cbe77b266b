#pragma once

#include <chrono>
#include <cstdint>

namespace bartizan {

/// The time that deadlines and periods go by, but for those of limits: up to a tick of the kernel,
/// 10 ms at most, behind `steady_clock`, and by what the present turn of the loop has taken. Not
/// for how long something took.
///
/// Cost:   on a loop's thread a clock is read once a turn, and some ten times by each call.
/// Source: clock_gettime(2), CLOCK_MONOTONIC_COARSE.
std::chrono::steady_clock::time_point coarse_now();

/// Seconds since 1970 UTC, by the same kind of clock.
std::int64_t seconds_now();
/// Milliseconds since then.
std::uint64_t milliseconds_now();

/// Another turn of this thread's loop begins: time has passed.
void begin_turn();
/// The loop of this thread has ended, and each look reads the clock again.
void end_turns();

}  // namespace bartizan
