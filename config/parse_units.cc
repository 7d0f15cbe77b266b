#include "config/parse_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace bartizan {
namespace {

using Unit = std::pair<std::string_view, std::uint64_t>;

constexpr std::array<Unit, 6> kDurations{
    {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
constexpr std::array<Unit, 4> kSizes{{{"B", 1},
                                      {"KiB", std::uint64_t{1} << 10},
                                      {"MiB", std::uint64_t{1} << 20},
                                      {"GiB", std::uint64_t{1} << 30}}};
constexpr std::array<Unit, 5> kWindows{
    {{"s", 1'000}, {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

constexpr std::uint64_t kDurationMax = std::uint64_t{3650} * 86'400'000;
constexpr std::uint64_t kSizeMax = std::uint64_t{1} << 50;
constexpr std::uint64_t kRateMax = 1'000'000'000;
/// The largest count that a bucket of one day tracks exactly.
constexpr std::uint64_t kByteRateMax = std::uint64_t{64} << 30;

/// The digits at the start of a text, and the rest.
struct Counted {
  std::uint64_t count = 0;
  std::string_view rest;
};

std::optional<Counted> parse_count(std::string_view text) {
  Counted counted;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), counted.count);
  if (error != std::errc()) return std::nullopt;
  counted.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return counted;
}

std::optional<std::uint64_t> find_unit(std::string_view name, std::span<const Unit> units) {
  const auto found = std::ranges::find(units, name, &Unit::first);
  if (found == units.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units,
                                            std::uint64_t max) {
  const auto counted = parse_count(text);
  if (!counted) return std::nullopt;
  std::string_view name = counted->rest;
  if (name.starts_with(' ')) name.remove_prefix(1);
  const auto unit = find_unit(name, units);
  if (!unit || counted->count > max / *unit) return std::nullopt;
  return counted->count * *unit;
}

/// Units are in ascending order, so the last one that divides is the largest.
const Unit& largest_unit(std::uint64_t quantity, std::span<const Unit> units) {
  const Unit* largest = &units.front();
  for (const Unit& unit : units) {
    // `m` and `min` are equal, but `min` cannot be read as months.
    if (quantity % unit.second == 0 && unit.first != "m") largest = &unit;
  }
  return *largest;
}

}  // namespace

std::string duration_text(std::chrono::milliseconds duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  const auto& [name, unit] = largest_unit(count, kDurations);
  return std::to_string(count / unit) + std::string(name);
}

std::string format_count(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string format_duration(std::chrono::milliseconds duration) {
  // A negative wait, possible after the clock was set back, counts as none.
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
  constexpr std::uint64_t kDay = 86'400'000;
  if (count == 0) return "0 ms";
  if (count % (7 * kDay) == 0) return format_count(count / (7 * kDay), "week");
  if (count % kDay == 0) return format_count(count / kDay, "day");
  const auto& [name, unit] = largest_unit(count, kDurations);
  return std::to_string(count / unit) + " " + std::string(name);
}

std::string format_time(std::int64_t seconds) {
  // A clock of nanoseconds ends in 2262; rules may have later years.
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string size_text(std::uint64_t bytes) {
  const auto& [name, unit] = largest_unit(bytes, kSizes);
  return std::to_string(bytes / unit) + " " + std::string(name);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto milliseconds = parse_quantity(text, kDurations, kDurationMax);
  if (!milliseconds) return std::nullopt;
  return std::chrono::milliseconds(*milliseconds);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_quantity(text, kSizes, kSizeMax);
}

std::optional<Rate> parse_rate(std::string_view text) {
  const auto counted = parse_count(text);
  if (!counted || !counted->rest.starts_with('/')) return std::nullopt;
  const auto window = find_unit(counted->rest.substr(1), kWindows);
  if (!window || counted->count == 0 || counted->count > kRateMax) return std::nullopt;
  return Rate{.count = counted->count, .window = std::chrono::milliseconds(*window)};
}

std::optional<Rate> parse_byte_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto bytes = parse_size(text.substr(0, slash));
  const auto window = find_unit(text.substr(slash + 1), kWindows);
  if (!bytes || !window || *bytes == 0 || *bytes > kByteRateMax) return std::nullopt;
  return Rate{
      .count = *bytes, .window = std::chrono::milliseconds(*window), .unit = LimitUnit::bytes};
}

std::string rate_text(const Rate& rate) {
  const auto& [unit, size] =
      largest_unit(static_cast<std::uint64_t>(rate.window.count()), kWindows);
  const auto windows = static_cast<std::uint64_t>(rate.window.count()) / size;
  const std::string count =
      rate.unit == LimitUnit::bytes ? size_text(rate.count) : std::to_string(rate.count);
  return count + "/" + (windows == 1 ? "" : std::to_string(windows)) + std::string(unit);
}

}  // namespace bartizan
