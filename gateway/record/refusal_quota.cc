#include "gateway/record/refusal_quota.h"

#include <algorithm>
#include <utility>

namespace bartizan {

bool RefusalQuota::admit_address(std::string_view address, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  auto found = addresses_.find(address);
  if (found == addresses_.end()) {
    if (addresses_.size() >= limits::anonymous_addresses_max) {
      ++others_;
      return false;
    }
    found = addresses_.emplace(std::string(address), Address{.begun = now}).first;
  }
  if (++found->second.count <= limits::anonymous_refusals_per_minute) return true;
  ++found->second.beyond;
  return false;
}

void RefusalQuota::refill(Budget& budget, Clock::time_point now) const {
  if (now <= budget.refilled) return;
  const double passed = std::chrono::duration<double>(now - budget.refilled).count();
  budget.left =
      std::min<double>(limits::refusals_burst, budget.left + passed * limits::refusals_per_second);
  budget.refilled = now;
}

bool RefusalQuota::take(std::string_view principal, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  auto found = budgets_.find(principal);
  if (found == budgets_.end()) {
    found = budgets_.emplace(std::string(principal), Budget{.refilled = now}).first;
  }
  Budget& budget = found->second;
  refill(budget, now);
  if (budget.left < 1) {
    ++budget.beyond;
    ++throttled_;
    return false;
  }
  budget.left -= 1;
  return true;
}

bool RefusalQuota::is_spent(std::string_view principal, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = budgets_.find(principal);
  if (found == budgets_.end()) return false;
  refill(found->second, now);
  if (found->second.left >= 1) return false;
  ++found->second.beyond;
  ++throttled_;
  return true;
}

std::size_t RefusalQuota::principals() {
  const std::lock_guard lock(mutex_);
  return budgets_.size();
}

std::vector<RefusalQuota::Summary> RefusalQuota::take_summaries(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::vector<Summary> summaries;
  for (auto& [principal, budget] : budgets_) {
    const std::uint64_t count = std::exchange(budget.beyond, 0);
    if (count > 0) summaries.push_back({principal, count, true});
    refill(budget, now);
  }
  std::erase_if(budgets_,
                [](const auto& entry) { return entry.second.left >= limits::refusals_burst; });
  std::erase_if(addresses_, [&](auto& entry) {
    if (now - entry.second.begun < std::chrono::minutes(1)) return false;
    if (entry.second.beyond > 0) summaries.push_back({entry.first, entry.second.beyond, false});
    return true;
  });
  const std::uint64_t others = std::exchange(others_, 0);
  if (others > 0) summaries.push_back({"others", others, false});
  return summaries;
}

}  // namespace bartizan
