#include "gateway/command/read_moment.h"

#include <algorithm>
#include <chrono>

#include "config/parse_units.h"

namespace bartizan {
namespace {

using namespace std::chrono;

/// Removes that many digits from the start.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char letter : text.substr(0, digits)) {
    if (letter < '0' || letter > '9') return std::nullopt;
    number = number * 10 + (letter - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<sys_days> take_day(std::string_view& text) {
  const auto years = take_number(text, 4);
  if (!years || !take(text, '-')) return std::nullopt;
  const auto months = take_number(text, 2);
  if (!months || !take(text, '-')) return std::nullopt;
  const auto days = take_number(text, 2);
  if (!days) return std::nullopt;
  const year_month_day date{year(*years), month(static_cast<unsigned>(*months)),
                            day(static_cast<unsigned>(*days))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date);
}

/// `12:00:00`, with or without a fraction.
std::optional<microseconds> take_clock(std::string_view& text) {
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  microseconds clock = hours(*hour) + minutes(*minute) + seconds(*second);
  if (!take(text, '.')) return clock;
  microseconds unit(100'000);
  bool has_digit = false;
  while (const auto digit = take_number(text, 1)) {
    clock += *digit * unit;
    unit /= 10;
    has_digit = true;
  }
  if (!has_digit) return std::nullopt;
  return clock;
}

/// `Z` or `+01:00`.
std::optional<minutes> take_offset(std::string_view& text) {
  if (take(text, 'Z')) return minutes(0);
  const bool is_east = text.starts_with('+');
  if (!is_east && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return is_east ? offset : -offset;
}

std::int64_t micros(sys_time<microseconds> time) {
  return time.time_since_epoch().count();
}

}  // namespace

std::optional<std::int64_t> read_moment(std::string_view text, std::int64_t now) {
  const sys_seconds present{seconds(now)};
  if (text == "today") return micros(floor<days>(present));
  if (text == "yesterday") return micros(floor<days>(present) - days(1));
  if (const auto ago = parse_duration(text)) return micros(present - *ago);
  const auto day = take_day(text);
  if (!day) return std::nullopt;
  if (text.empty()) return micros(*day);
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return micros(*day + *clock - *offset);
}

}  // namespace bartizan
