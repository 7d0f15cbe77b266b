#pragma once

#include <cstdint>
#include <memory>

#include "config/config.h"

namespace bartizan {

/// `time = { days, from, to, zone }`, compiled.
class TimeWindow {
 public:
  explicit TimeWindow(const TimeCondition& condition);
  TimeWindow(TimeWindow&&) noexcept;
  ~TimeWindow();

  /// Whether the time zone database has that zone. Without it, no time is in the window.
  bool has_zone() const { return zone_ != nullptr; }
  /// Whether the time is in the window. Input: seconds since 1970 UTC. Clocks that are set forward
  /// skip times of day. Clocks that are set back show them twice, and both times are in the window.
  bool holds(std::int64_t now) const;

 private:
  struct Zone;
  TimeCondition condition_;
  std::unique_ptr<const Zone> zone_;
};

}  // namespace bartizan
