#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "gateway/runtime/memory_budget.h"

namespace bartizan {

/// Each principal's share of a memory budget, for answers that its clients have not read yet. A
/// client that does not read blocks such an answer for as long as a write may take. So each
/// principal gets only a part of the budget, and others are still served. The first answer of a
/// principal without held memory is admitted whatever its size, if the budget allows it.
///
/// Threads:  any; one lock for each change that is larger than `limits::unbudgeted_bytes_max`.
/// Lifetime: outlives what is held. Bounded by the principals that hold something.
class MemoryShares {
 public:
  class Held;

  /// One principal gets this fraction of the budget. Two of them still leave half of it.
  static constexpr std::uint64_t kFraction = 4;

  explicit MemoryShares(MemoryBudget& memory, std::uint64_t fraction = kFraction)
      : memory_(memory), fraction_(fraction) {}
  MemoryShares(const MemoryShares&) = delete;
  MemoryShares& operator=(const MemoryShares&) = delete;

  /// The share of one principal.
  std::uint64_t bytes_max() const { return memory_.bytes_max() / fraction_; }
  /// The number of principals that hold memory.
  std::size_t holders() const;

 private:
  bool take(const std::string& principal, std::uint64_t bytes);
  void give_back(const std::string& principal, std::uint64_t bytes);

  MemoryBudget& memory_;
  const std::uint64_t fraction_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> held_;  ///< By principal, never 0.
};

/// Bytes that a principal holds. Destruction returns them.
///
/// Threads: one at a time; it may be destroyed on another thread than it was filled on.
class MemoryShares::Held {
 public:
  Held() = default;
  Held(Held&& other) noexcept;
  Held& operator=(Held&& other) noexcept;
  ~Held() { release(); }

  /// Adjusts this to that principal's buffer of `bytes`; small buffers need nothing. False, without
  /// a change, if the budget or the principal's share is exhausted.
  [[nodiscard]] bool hold(MemoryShares& shares, const std::string& principal, std::uint64_t bytes);
  /// Returns everything.
  void release();
  std::uint64_t bytes() const { return memory_.bytes(); }

 private:
  MemoryShares* shares_ = nullptr;  ///< Null while nothing is held.
  std::string principal_;
  MemoryBudget::Reservation memory_;
};

}  // namespace bartizan
