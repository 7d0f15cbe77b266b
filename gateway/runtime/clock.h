#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <thread>
#include <utility>

namespace bartizan {

/// Tells the time.
///
/// Threads: any.
class TimeSource {
 public:
  TimeSource() = default;
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;
  virtual ~TimeSource() = default;

  /// Never goes back.
  virtual std::chrono::steady_clock::time_point steady() const = 0;
  virtual std::chrono::system_clock::time_point date() const = 0;
};

/// The clocks of the machine: the only place that reads them.
const TimeSource& machine_time();

/// Lends a time source to the present thread, and to the threads that it starts by `start_thread`,
/// until this object ends. Whoever has a loop or a worker run in a test lends it its own time, and
/// so makes an hour pass in a moment. A thread that was lent none has the machine's.
class LentTime {
 public:
  /// `source` outlives this object, and all threads that were started meanwhile.
  explicit LentTime(const TimeSource& source);
  LentTime(const LentTime&) = delete;
  LentTime& operator=(const LentTime&) = delete;
  ~LentTime();

  /// What the present thread was lent.
  static const TimeSource& present();

 private:
  const TimeSource* before_;
};

/// Starts a thread that has the time source of the present one. Throws `std::system_error` where
/// the machine has no thread.
template <std::invocable Work>
std::thread start_thread(Work work) {
  return std::thread([&source = LentTime::present(), work = std::move(work)]() mutable {
    const LentTime lent(source);
    work();
  });
}

/// The time of the present thread's source, read now: for durations, and for periods of limits.
std::chrono::steady_clock::time_point steady_now();
std::chrono::system_clock::time_point system_now();

/// The time that deadlines and periods go by, but for those of limits: `steady_now` as it was when
/// the present turn of the loop began. Not for how long something took.
///
/// Cost: on a loop's thread a clock is read once a turn. Each call asks some ten times.
std::chrono::steady_clock::time_point coarse_now();

/// The time of day for records: `system_now` as it was when the present turn of the loop began.
std::chrono::system_clock::time_point coarse_time();
/// Seconds since 1970 UTC.
std::int64_t seconds_now();
/// Milliseconds since 1970 UTC.
std::uint64_t milliseconds_now();

/// Another turn of this thread's loop begins: time has passed.
void begin_turn();
/// The loop of this thread has ended, and each look reads the clock again.
void end_turns();

}  // namespace bartizan
