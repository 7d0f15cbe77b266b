#pragma once

#include <cstdint>
#include <utility>

namespace bartizan {

/// How many events of a server are handled one by one within a window of time. The rest is counted,
/// and handled once at the end of the window. It has no clock: its owner ends a window.
class EventQuota {
 public:
  explicit EventQuota(std::uint32_t events_max) : events_max_(events_max) {}

  /// Counts one event. True if it must be handled by itself.
  bool admit() {
    if (admitted_ < events_max_) {
      ++admitted_;
      return true;
    }
    ++beyond_;
    return false;
  }

  /// Ends the window. Returns how many of its events were only counted.
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
