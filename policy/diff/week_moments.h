#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The times at which rules that ask for one may say something else: each hour of the week from
/// `now` on, and the first minute within each window, which may be shorter. Empty where no rule of
/// these configurations asks for a time. Seconds since 1970 UTC.
/// Cost: up to 10,080 questions for each window.
std::vector<std::int64_t> week_moments(std::span<const Config* const> configs, std::int64_t now);

/// Each hour of the week from `now` on, and the first minute within the window of one condition.
std::vector<std::int64_t> week_moments(const TimeCondition& condition, std::int64_t now);

}  // namespace bartizan
