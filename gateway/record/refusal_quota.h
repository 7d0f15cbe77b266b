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

/// The quota for single records of refusals. A flood of refusals must not fill the record, nor cost
/// more than its answers. State as a value, time as an argument.
///
/// Before authentication, the first `anonymous_refusals_per_minute` refusals of an address are
/// recorded singly. The rest get one summary for each address and minute. An authenticated
/// principal has a bucket of `refusals_burst` that refills with `refusals_per_second`. When it is
/// empty, calls are answered `limited` without being judged, with one summary for each second.
/// Calls that were judged while the bucket became empty are handled the same way.
///
/// Threads: any; it guards itself. Bounded: addresses beyond the limit share one count.
class RefusalQuota {
 public:
  using Clock = std::chrono::steady_clock;

  /// One record in place of many.
  struct Summary {
    std::string who;  ///< Address or principal; `others` for addresses beyond the limit.
    std::uint64_t count = 0;
    bool is_principal = false;
  };

  /// Counts a refusal without authentication. True if it must be recorded singly.
  bool admit_address(std::string_view address, Clock::time_point now);
  /// Takes a refusal of a principal from its bucket. False if the bucket is empty: the refusal is
  /// counted for the summary, and is neither recorded nor explained.
  bool take(std::string_view principal, Clock::time_point now);
  /// Whether the principal's bucket is empty. If so, the refusal of a call for that is counted
  /// here.
  bool is_spent(std::string_view principal, Clock::time_point now);
  /// Returns the due summaries. Forgets addresses whose minute is over, and principals whose bucket
  /// is full again.
  std::vector<Summary> take_summaries(Clock::time_point now);
  /// The number of requests of principals that were refused for lack of a budget, since the start.
  /// It is the sum of the counts of all summaries of principals.
  std::uint64_t throttled() const { return throttled_; }
  /// The number of tracked principals.
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
  /// Of principals whose bucket is not full, or has refusals without a summary. Bounded by the
  /// principals of ten seconds.
  std::map<std::string, Budget, std::less<>> budgets_;
  std::uint64_t others_ = 0;
  std::atomic<std::uint64_t> throttled_ = 0;
};

}  // namespace bartizan
