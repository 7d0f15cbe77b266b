#pragma once

#include <chrono>
#include <cstdint>

namespace bartizan {

/// The time that deadlines and periods go by, but for those of limits: behind `steady_clock` by
/// what the present turn of the loop has taken. Not for how long something took.
///
/// Cost: on a loop's thread a clock is read once a turn, and looked at some ten times by each call.
std::chrono::steady_clock::time_point coarse_now();

/// The same of `system_clock`, for records.
std::chrono::system_clock::time_point coarse_time();
/// Seconds since 1970 UTC.
std::int64_t seconds_now();
/// Milliseconds since then.
std::uint64_t milliseconds_now();

/// Another turn of this thread's loop begins: time has passed.
void begin_turn();
/// The loop of this thread has ended, and each look reads the clock again.
void end_turns();

}  // namespace bartizan
