#include "gateway/runtime/clock.h"

#include <ctime>
#include <utility>

#include "gateway/runtime/boot_time.h"

namespace bartizan {
namespace {

class MachineTime final : public TimeSource {
 public:
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
  std::chrono::system_clock::time_point date() const override {
    return std::chrono::system_clock::now();
  }
};

/// What was read in the present turn of this thread's loop, if it has one.
template <class Time>
struct Read {
  Time time{};
  std::uint64_t turn = 0;
};

/// Null where none was lent.
constinit thread_local const TimeSource* lent = nullptr;
/// The number of the turn, and whether there is one: where there is none, each look reads a clock.
constinit thread_local std::uint64_t turn = 0;
constinit thread_local bool has_turn = false;

/// Reads a clock once a turn.
template <class Time>
Time once_a_turn(Time (*read)()) {
  static constinit thread_local Read<Time> last;
  if (!has_turn || last.turn != turn) last = {read(), turn};
  return last.time;
}

}  // namespace

const TimeSource& machine_time() {
  static const MachineTime time;
  return time;
}

LentTime::LentTime(const TimeSource& source) : before_(std::exchange(lent, &source)) {
  ++turn;  // What was read before is another clock's.
}

LentTime::~LentTime() {
  lent = before_;
  ++turn;
}

const TimeSource& LentTime::present() {
  return lent != nullptr ? *lent : machine_time();
}

std::chrono::steady_clock::time_point steady_now() {
  return LentTime::present().steady();
}

std::chrono::system_clock::time_point system_now() {
  return LentTime::present().date();
}

void begin_turn() {
  ++turn;
  has_turn = true;
}

void end_turns() {
  has_turn = false;
}

std::chrono::steady_clock::time_point coarse_now() {
  return once_a_turn(steady_now);
}

std::chrono::system_clock::time_point coarse_time() {
  return once_a_turn(system_now);
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

double seconds_since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace bartizan
