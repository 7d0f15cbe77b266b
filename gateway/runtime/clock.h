#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <thread>
#include <utility>

namespace bartizan {

/// A source of the time.
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

/// The clocks of the machine. No other place reads them.
const TimeSource& machine_time();

/// Lends a time source to the current thread, and to the threads that it starts by `start_thread`,
/// until this object ends. A test lends a loop or worker its own time, so that an hour can pass in
/// a moment. A thread without a lent source has the machine's.
class LentTime {
 public:
  /// `source` outlives this object, and all threads that were started meanwhile.
  explicit LentTime(const TimeSource& source);
  LentTime(const LentTime&) = delete;
  LentTime& operator=(const LentTime&) = delete;
  ~LentTime();

  /// The current thread's time source.
  static const TimeSource& present();

 private:
  const TimeSource* before_;
};

/// Starts a thread with the time source of the current one. Throws `std::system_error` if the
/// machine cannot start a thread.
template <std::invocable Work>
std::thread start_thread(Work work) {
  return std::thread([&source = LentTime::present(), work = std::move(work)]() mutable {
    const LentTime lent(source);
    work();
  });
}

/// The time of the current thread's source, read now: for durations, and for periods of limits.
std::chrono::steady_clock::time_point steady_now();
std::chrono::system_clock::time_point system_now();

/// The time for deadlines and periods, except those of limits: `steady_now` at the beginning of the
/// loop's current turn. Not for durations.
///
/// Cost: on a loop's thread a clock is read once a turn. Each call uses this some ten times.
std::chrono::steady_clock::time_point coarse_now();

/// The time of day for records: `system_now` at the beginning of the loop's current turn.
std::chrono::system_clock::time_point coarse_time();
/// Seconds since 1970 UTC.
std::int64_t seconds_now();
/// Milliseconds since 1970 UTC.
std::uint64_t milliseconds_now();

/// Begins another turn of this thread's loop: the coarse times are read again.
void begin_turn();
/// This thread's loop has ended. Every reading uses the clock again.
void end_turns();

}  // namespace bartizan
