#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The times at which rules with a time condition may answer differently: each hour of the week
/// from `now` on, and the first minute within each window, which may be shorter than an hour. In
/// seconds since 1970 UTC. Empty if no rule of these configurations has such a condition.
/// Cost: up to 10,080 questions for each window.
std::vector<std::int64_t> week_moments(std::span<const Config* const> configs, std::int64_t now);

/// Each hour of the week from `now` on, and the first minute within the window of one condition.
std::vector<std::int64_t> week_moments(const TimeCondition& condition, std::int64_t now);

}  // namespace bartizan
