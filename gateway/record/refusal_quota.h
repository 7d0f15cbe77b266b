#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/limits.h"

namespace bartizan {

/// Who may still be refused singly: a flood of refusals must not fill the record, nor cost more
/// than answering it. State as a value, time as an argument.
///
/// Before authentication the first `anonymous_refusals_per_minute` of an address are recorded
/// singly, then one summary for each address and minute. An authenticated principal has a bucket
/// of `refusals_burst` that refills with `refusals_per_second`; beyond it calls are answered
/// `limited` without being judged, with one summary for each second. So are calls that were judged
/// while the bucket became empty.
///
/// Threads: any; it guards itself. Bounded: addresses beyond the bound share one count.
class RefusalQuota {
 public:
  using Clock = std::chrono::steady_clock;

  /// One line to be written instead of many.
  struct Summary {
    std::string who;  ///< Address or principal; `others` for addresses beyond the bound.
    std::uint64_t count = 0;
    bool is_principal = false;
  };

  /// Counts a refusal of a stranger. True when it is to be recorded singly.
  bool admit_address(std::string_view address, Clock::time_point now);
  /// Takes a refusal of a principal from its bucket. False where the bucket is empty: the refusal
  /// is counted for the summary, and neither recorded nor told.
  bool take(std::string_view principal, Clock::time_point now);
  /// Whether the principal has spent its budget; a call refused for that is counted here.
  bool is_spent(std::string_view principal, Clock::time_point now);
  /// The summaries that are due, and forgets addresses whose minute is over and principals whose
  /// budget is full again.
  std::vector<Summary> take_summaries(Clock::time_point now);
  /// How many requests of principals were refused beyond their budgets, since the start. The counts
  /// of all summaries of principals add up to it.
  std::uint64_t throttled() const { return throttled_; }
  /// How many principals are kept track of.
  std::size_t principals();

 private:
  struct Address {
    Clock::time_point begun;
    std::uint32_t count = 0;
    std::uint64_t beyond = 0;
  };
  struct Budget {
    Clock::time_point refilled;
    double left = limits::refusals_burst;
    std::uint64_t beyond = 0;
  };
  void refill(Budget& budget, Clock::time_point now) const;

  std::mutex mutex_;
  std::map<std::string, Address, std::less<>> addresses_;
  /// Not full, or with refusals that no summary has: bounded by the principals of ten seconds.
  std::map<std::string, Budget, std::less<>> budgets_;
  std::uint64_t others_ = 0;
  std::atomic<std::uint64_t> throttled_ = 0;
};

}  // namespace bartizan
