#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "gateway/runtime/memory_budget.h"

namespace bartizan {

/// What each principal holds of a memory budget in answers that its clients have not taken in yet.
/// Whoever does not read holds such an answer for as long as a write may take, so nobody gets more
/// than one part of the budget for them, and others are served meanwhile. The first answer of a
/// principal that holds none is let through whatever its size, as far as the budget goes.
///
/// Threads:  any; one lock for each change of what is larger than `limits::unbudgeted_bytes_max`.
/// Lifetime: outlives what is held. Bounded by the principals that hold something.
class MemoryShares {
 public:
  class Held;

  /// One principal gets one in so many bytes of the budget: two of them still leave half of it.
  static constexpr std::uint64_t kFraction = 4;

  explicit MemoryShares(MemoryBudget& memory, std::uint64_t fraction = kFraction)
      : memory_(memory), fraction_(fraction) {}
  MemoryShares(const MemoryShares&) = delete;
  MemoryShares& operator=(const MemoryShares&) = delete;

  /// For one principal.
  std::uint64_t bytes_max() const { return memory_.bytes_max() / fraction_; }
  /// How many principals hold something.
  std::size_t holders() const;

 private:
  bool take(const std::string& principal, std::uint64_t bytes);
  void give_back(const std::string& principal, std::uint64_t bytes);

  MemoryBudget& memory_;
  const std::uint64_t fraction_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> held_;  ///< By principal, never 0.
};

/// Bytes that a principal holds, given back when this is destroyed.
///
/// Threads: one at a time; it may be destroyed on another one than it was filled on.
class MemoryShares::Held {
 public:
  Held() = default;
  Held(Held&& other) noexcept;
  Held& operator=(Held&& other) noexcept;
  ~Held() { release(); }

  /// Makes this fit a buffer that is now `bytes` large, for that principal: nothing for a small
  /// one. False when the budget, or the principal's share, is exhausted; nothing has changed then.
  [[nodiscard]] bool hold(MemoryShares& shares, const std::string& principal, std::uint64_t bytes);
  /// Gives everything back.
  void release();
  std::uint64_t bytes() const { return memory_.bytes(); }

 private:
  MemoryShares* shares_ = nullptr;  ///< Null as long as nothing is held.
  std::string principal_;
  MemoryBudget::Reservation memory_;
};

}  // namespace bartizan
