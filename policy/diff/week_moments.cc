#include "policy/diff/week_moments.h"

#include <algorithm>
#include <variant>

#include "policy/predicate/time_window.h"

namespace bartizan {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kWeek = 7 * 24 * kHour;

/// Adds the minute after each full hour. It distinguishes two windows that meet at the hour.
void add_hours(std::vector<std::int64_t>& moments, std::int64_t now) {
  const std::int64_t first = now - now % kHour + kMinute;
  for (std::int64_t at = first; at < first + kWeek; at += kHour)
    moments.push_back(at);
}

void add_first(std::vector<std::int64_t>& moments, const TimeCondition& condition,
               std::int64_t now) {
  const TimeWindow window(condition);
  for (std::int64_t at = now; at < now + kWeek; at += kMinute) {
    if (!window.holds(at)) continue;
    moments.push_back(at);
    return;
  }
}

void add_windows(std::vector<std::int64_t>& moments, const RuleConditions& conditions,
                 std::int64_t now) {
  for (const FactCondition& condition : conditions.facts) {
    const auto* time = std::get_if<TimeCondition>(&condition.fact);
    if (time != nullptr) add_first(moments, *time, now);
  }
}

}  // namespace

std::vector<std::int64_t> week_moments(std::span<const Config* const> configs, std::int64_t now) {
  std::vector<std::int64_t> moments;
  for (const Config* config : configs) {
    for (const auto& [name, rule] : config->rules) {
      add_windows(moments, rule.when, now);
      add_windows(moments, rule.unless, now);
    }
  }
  if (!moments.empty()) add_hours(moments, now);
  return moments;
}

std::vector<std::int64_t> week_moments(const TimeCondition& condition, std::int64_t now) {
  std::vector<std::int64_t> moments;
  add_hours(moments, now);
  add_first(moments, condition, now);
  return moments;
}

}  // namespace bartizan
