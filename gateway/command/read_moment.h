#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bartizan {

/// A moment as a command line names it, in microseconds since 1970 UTC: `2026-11-30T12:00:00Z`,
/// also with a fraction or an offset such as `+01:00`; `2026-11-30`, `today` and `yesterday`, which
/// begin at midnight UTC; or a duration, `24h`, which is so long before `now`. Nothing for anything
/// else.
/// Input: `now` in seconds since 1970 UTC. Source: RFC 3339 §5.6.
std::optional<std::int64_t> read_moment(std::string_view text, std::int64_t now);

inline constexpr std::string_view kMomentHint =
    "2026-11-30, 2026-11-30T12:00:00Z, today, yesterday, or 24h for so long ago";

}  // namespace bartizan
