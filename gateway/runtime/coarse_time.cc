#include "gateway/runtime/coarse_time.h"

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

/// Reads a clock once a turn.
template <class Clock>
typename Clock::time_point once_a_turn() {
  static constinit thread_local Read<typename Clock::time_point> last;
  if (!has_turn || last.turn != turn) last = {Clock::now(), turn};
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

std::chrono::steady_clock::time_point coarse_now() {
  return once_a_turn<std::chrono::steady_clock>();
}

std::chrono::system_clock::time_point coarse_time() {
  return once_a_turn<std::chrono::system_clock>();
}

std::uint64_t milliseconds_now() {
  using std::chrono::milliseconds;
  const auto since = std::chrono::floor<milliseconds>(coarse_time()).time_since_epoch();
  return static_cast<std::uint64_t>(since.count());
}

std::int64_t seconds_now() {
  using std::chrono::seconds;
  return std::chrono::floor<seconds>(coarse_time()).time_since_epoch().count();
}

}  // namespace bartizan
