#include "policy/predicate/time_window.h"

#include <unicode/timezone.h>

#include <chrono>

namespace bartizan {
namespace {

/// Days since 1970 and minutes since midnight, on the clocks of a zone.
struct LocalTime {
  std::int64_t day = 0;
  std::int64_t minute = 0;
};

/// 1970 began on a Thursday, the fourth day from Monday.
unsigned weekday(std::int64_t day) {
  constexpr std::int64_t kThursday = 3;
  return static_cast<unsigned>(((day + kThursday) % 7 + 7) % 7);
}

}  // namespace

struct TimeWindow::Zone {
  std::unique_ptr<const icu::TimeZone> icu;

  LocalTime local(std::int64_t now) const {
    using std::chrono::milliseconds;
    using std::chrono::seconds;
    std::int32_t standard = 0;
    std::int32_t daylight = 0;
    UErrorCode error = U_ZERO_ERROR;
    icu->getOffset(static_cast<UDate>(milliseconds(seconds(now)).count()),
                   static_cast<UBool>(false), standard, daylight, error);
    const auto at = std::chrono::floor<std::chrono::minutes>(
        std::chrono::sys_seconds(seconds(now)) +
        std::chrono::floor<seconds>(milliseconds(standard + daylight)));
    const auto day = std::chrono::floor<std::chrono::days>(at);
    return {.day = day.time_since_epoch().count(), .minute = (at - day).count()};
  }
};

TimeWindow::TimeWindow(const TimeCondition& condition) : condition_(condition) {
  const icu::UnicodeString name = icu::UnicodeString::fromUTF8(condition.zone);
  icu::UnicodeString canonical;
  UErrorCode error = U_ZERO_ERROR;
  UBool is_of_database = 0;
  icu::TimeZone::getCanonicalID(name, canonical, is_of_database, error);
  // ICU accepts `GMT+5` as a zone, with the opposite sign of the database's `Etc/GMT+5`.
  if (U_FAILURE(error) || is_of_database == 0 || name == UNICODE_STRING_SIMPLE("Etc/Unknown")) {
    return;
  }
  std::unique_ptr<icu::TimeZone> zone(icu::TimeZone::createTimeZone(name));
  if (zone == nullptr) return;
  zone_ = std::make_unique<const Zone>(Zone{.icu = std::move(zone)});
}

TimeWindow::TimeWindow(TimeWindow&&) noexcept = default;
TimeWindow::~TimeWindow() = default;

bool TimeWindow::holds(std::int64_t now) const {
  if (zone_ == nullptr) return false;
  const LocalTime local = zone_->local(now);
  const auto begins_on = [&](std::int64_t day) {
    return ((condition_.days >> weekday(day)) & 1U) != 0;
  };
  if (condition_.from < condition_.to) {
    return begins_on(local.day) && local.minute >= condition_.from && local.minute < condition_.to;
  }
  const bool is_evening = local.minute >= condition_.from;
  const bool is_morning = local.minute < condition_.to;
  return (is_evening && begins_on(local.day)) || (is_morning && begins_on(local.day - 1));
}

}  // namespace bartizan
