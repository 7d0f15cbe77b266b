#pragma once

#include <cstdint>
#include <utility>

namespace bartizan {

/// How many of a server's events are acted on singly within one window of time; the rest are
/// counted, to be acted on once at its end. It knows no clock: its owner says when a window ends.
class EventQuota {
 public:
  explicit EventQuota(std::uint32_t events_max) : events_max_(events_max) {}

  /// Counts one event. True when it is to be acted on singly.
  bool admit() {
    if (admitted_ < events_max_) {
      ++admitted_;
      return true;
    }
    ++beyond_;
    return false;
  }

  /// Ends the window, and says how many events in it were only counted.
  std::uint64_t end_window() {
    admitted_ = 0;
    return std::exchange(beyond_, 0);
  }

 private:
  std::uint32_t events_max_;
  std::uint32_t admitted_ = 0;
  std::uint64_t beyond_ = 0;
};

}  // namespace bartizan
