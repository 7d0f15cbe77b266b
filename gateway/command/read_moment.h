#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bartizan {

/// Parses a time on the command line, to microseconds since 1970 UTC. The forms are
/// `2026-11-30T12:00:00Z`, also with a fraction or an offset such as `+01:00`; and `2026-11-30`,
/// `today` and `yesterday`, which start at midnight UTC. A duration such as `24h` counts back from
/// `now`. Nothing for any other text.
/// Input: `now` in seconds since 1970 UTC. Source: RFC 3339 §5.6.
std::optional<std::int64_t> read_moment(std::string_view text, std::int64_t now);

inline constexpr std::string_view kMomentHint =
    "2026-11-30, 2026-11-30T12:00:00Z, today, yesterday, or 24h for so long ago";

}  // namespace bartizan
