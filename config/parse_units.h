#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Parses a whole number and a unit, with or without one space: `250ms`, `30s`, `10 min`, `5m`,
/// `24h`, `90d`. Nothing for any other text, and for more than ten years.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Parses bytes: `512 B`, `10 KiB`, `256 MiB`, `1 GiB`. Decimal units are refused, because many
/// people read them as binary.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// A duration or size in configuration syntax: `1h`, `4 KiB`. The unit is the largest that divides
/// it.
std::string duration_text(std::chrono::milliseconds duration);
std::string size_text(std::uint64_t bytes);

/// Parses calls per window: `10/s`, `600/min`, `5000/h`, `20000/d`. The count is from 1 to 10^9.
std::optional<Rate> parse_rate(std::string_view text);

/// Parses bytes per window: `10 MiB/min`, `1 GiB/d`; at most 64 GiB.
std::optional<Rate> parse_byte_rate(std::string_view text);

/// A rate in configuration syntax: `600/min`, `10 MiB/min`.
std::string rate_text(const Rate& rate);

/// For people: `1 rule`, `2 rules`; `1 week`, `36 h`, `90 s`. The unit is the largest that divides
/// the duration.
std::string format_count(std::uint64_t count, std::string_view noun);
std::string format_duration(std::chrono::milliseconds duration);
/// The time as `2027-01-31T09:00:00Z`, for any year. Input: seconds since 1970 UTC. Source: RFC
/// 3339 §5.6.
std::string format_time(std::int64_t seconds);

}  // namespace bartizan
