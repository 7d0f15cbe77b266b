#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace bartizan {

/// The memory limit for all large buffers of the process together. A reservation that does not fit
/// is refused at once. So a flood is answered `overloaded` instead of ending the process.
///
/// Only buffers above limits::unbudgeted_bytes_max are reserved.
/// Threads:   any; one compare-and-swap per change.
/// Lifetime:  outlives its reservations.
class MemoryBudget {
 public:
  class Reservation;

  explicit MemoryBudget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  /// Reserves `bytes` for the caller; nothing if they do not fit.
  [[nodiscard]] std::optional<Reservation> reserve(std::uint64_t bytes);

  /// Whether that many more bytes would fit now.
  bool has_room(std::uint64_t bytes) const;
  std::uint64_t bytes_max() const { return bytes_max_.load(std::memory_order_relaxed); }
  /// Sets another limit. Existing reservations stay. New ones are refused until they fit again.
  void set_bytes_max(std::uint64_t bytes) { bytes_max_.store(bytes, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  /// The highest use so far.
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// The highest use since the last call. Threads: only one calls this.
  std::uint64_t take_recent_peak() {
    return recent_peak_.exchange(used(), std::memory_order_relaxed);
  }

 private:
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::atomic<std::uint64_t> bytes_max_;
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> peak_ = 0;
  std::atomic<std::uint64_t> recent_peak_ = 0;
};

/// Bytes reserved from a budget. Destruction returns them.
class MemoryBudget::Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { release(); }

  /// Changes the reservation to `bytes`; false, without a change, if they do not fit.
  [[nodiscard]] bool resize(std::uint64_t bytes);
  /// Returns everything.
  void release();
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class MemoryBudget;
  Reservation(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}

  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Adjusts `held` to a buffer of `bytes`; small buffers need no reservation. False if the budget is
/// exhausted.
[[nodiscard]] bool hold(MemoryBudget& memory, MemoryBudget::Reservation& held, std::uint64_t bytes);

}  // namespace bartizan
