#pragma once

#include <cstdint>
#include <memory>

#include "config/config.h"

namespace bartizan {

/// `time = { days, from, to, zone }`, ready to ask.
class TimeWindow {
 public:
  explicit TimeWindow(const TimeCondition& condition);
  TimeWindow(TimeWindow&&) noexcept;
  ~TimeWindow();

  /// Whether the time zone database has that zone; a window of another one holds no time.
  bool has_zone() const { return zone_ != nullptr; }
  /// Input: seconds since 1970 UTC. Clocks that are set forward skip times of day, clocks that are
  /// set back show them twice; both times are within the window.
  bool holds(std::int64_t now) const;

 private:
  struct Zone;
  TimeCondition condition_;
  std::unique_ptr<const Zone> zone_;
};

}  // namespace bartizan
