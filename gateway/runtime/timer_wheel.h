#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bartizan {

class TimerWheel;

/// One waiter's deadline. The waiter owns it and reuses it for all its waits.
///
/// Lifetime:  neither copied nor moved, since the wheel links it; the wheel must outlive it.
/// Threads:   those of its wheel: one.
/// Cost:      `arm`, `cancel` and destruction are O(1) and allocate nothing.
class Deadline {
 public:
  /// Called with `context` when the deadline has passed. It may arm, cancel or destroy any
  /// deadline, this one included.
  using Callback = void (*)(void* context);

  Deadline(TimerWheel& wheel, Callback callback, void* context)
      : wheel_(&wheel), callback_(callback), context_(context) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { cancel(); }

  /// Calls back once, `ticks` ticks from the wheel's current one, at least one. Replaces an earlier
  /// arming.
  void arm(std::uint64_t ticks);
  /// Calls back once, after `wait` and at most two ticks later.
  void arm(std::chrono::milliseconds wait);
  void cancel();
  bool is_armed() const { return links_.next != nullptr; }

 private:
  friend class TimerWheel;
  struct Links {
    Links* previous = nullptr;
    Links* next = nullptr;
    Deadline* owner = nullptr;  // None in the head of a slot.
  };

  Links links_;
  TimerWheel* wheel_;
  Callback callback_;
  void* context_;
  std::uint64_t due_ = 0;
};

/// Coarse deadlines of one event loop, driven by ticks from outside. It has no clock.
///
/// A hashed wheel: a deadline lies in the slot of its tick, whatever the turn. It is skipped until
/// its turn has come, so the horizon is unbounded.
/// Threads:  one.
/// Cost:     `advance` visits the passed slots and their deadlines. One turn of 1024 ticks is 51 s,
///           so a deadline of 75 s is skipped once.
/// Source:   Varghese & Lauck 1987, scheme 6.
class TimerWheel {
 public:
  TimerWheel();
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  /// Drops the armed deadlines without calling back.
  ~TimerWheel();

  /// Advances to tick `now` and calls back the due deadlines. A tick in the past changes nothing.
  /// Not to be called from a callback.
  void advance(std::uint64_t now);
  std::uint64_t now() const { return now_; }
  std::size_t armed() const { return armed_; }

 private:
  friend class Deadline;
  static constexpr std::size_t kSlots = 1024;  // A power of two.

  void link(Deadline& deadline);
  void unlink(Deadline& deadline);
  void visit(Deadline::Links& slot);

  std::uint64_t now_ = 0;
  std::size_t armed_ = 0;
  std::array<Deadline::Links, kSlots> slots_;
};

}  // namespace bartizan
