#include "gateway/coarse_time.h"

#include <ctime>

namespace bartizan {
namespace {

/// What was read in the present turn of this thread's loop, if it has one.
template <class Time>
struct Read {
  Time time{};
  std::uint64_t turn = 0;
};

/// The number of the turn, and whether there is one: where there is none, each look reads a clock.
constinit thread_local std::uint64_t turn = 0;
constinit thread_local bool has_turn = false;

timespec read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now;
}

/// Reads a clock once a turn. Input: `kClock` and how its time is told.
template <clockid_t kClock, auto kTell>
auto once_a_turn() {
  static constinit thread_local Read<decltype(kTell(timespec()))> last;
  if (!has_turn || last.turn != turn) last = {kTell(read(kClock)), turn};
  return last.time;
}

}  // namespace

void begin_turn() {
  ++turn;
  has_turn = true;
}

void end_turns() {
  has_turn = false;
}

// `steady_clock` counts from where CLOCK_MONOTONIC does.
std::chrono::steady_clock::time_point coarse_now() {
  return once_a_turn<CLOCK_MONOTONIC_COARSE, [](timespec now) {
    return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) +
                                                 std::chrono::nanoseconds(now.tv_nsec));
  }>();
}

std::uint64_t milliseconds_now() {
  return once_a_turn<CLOCK_REALTIME_COARSE, [](timespec now) {
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  }>();
}

std::int64_t seconds_now() {
  return static_cast<std::int64_t>(milliseconds_now() / 1000);
}

}  // namespace bartizan
