#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace bartizan {

/// A whole number and a unit, with or without one space: `250ms`, `30s`, `10 min`, `5m`, `24h`,
/// `90d`. Nothing where the text is anything else or above ten years.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Bytes: `512 B`, `10 KiB`, `256 MiB`, `1 GiB`. Decimal units are refused, because half of the
/// world reads them as binary.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// A duration and a size as a configuration has them: `1h`, `4 KiB`, in the largest unit that
/// divides it.
std::string duration_text(std::chrono::milliseconds duration);
std::string size_text(std::uint64_t bytes);

/// Calls in a window: `10/s`, `600/min`, `5000/h`, `20000/d`. The count is at least 1 and at most
/// 10^9.
std::optional<Rate> parse_rate(std::string_view text);

/// Bytes in a window: `10 MiB/min`, `1 GiB/d`; 64 GiB at most.
std::optional<Rate> parse_byte_rate(std::string_view text);

/// A rate as a configuration has it: `600/min`, `10 MiB/min`.
std::string rate_text(const Rate& rate);

/// As people read them: `1 rule`, `2 rules`; `1 week`, `36 h`, `90 s`, in the largest unit that
/// divides it.
std::string format_count(std::uint64_t count, std::string_view noun);
std::string format_duration(std::chrono::milliseconds duration);
/// `2027-01-31T09:00:00Z`, of any year. Input: seconds since 1970 UTC. Source: RFC 3339 §5.6.
std::string format_time(std::int64_t seconds);

}  // namespace bartizan
