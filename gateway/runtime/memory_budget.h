#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace bartizan {

/// How much memory all large buffers of the process may take together. A reservation that does
/// not fit is refused at once, so a flood is answered `overloaded` instead of ending the process.
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

  /// Holds `bytes` for the caller, or nothing if they do not fit.
  [[nodiscard]] std::optional<Reservation> reserve(std::uint64_t bytes);

  /// Whether so many more would fit now.
  bool has_room(std::uint64_t bytes) const;
  std::uint64_t bytes_max() const { return bytes_max_.load(std::memory_order_relaxed); }
  /// Sets another bound. What is held already stays; nothing more is until it fits again.
  void set_bytes_max(std::uint64_t bytes) { bytes_max_.store(bytes, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  /// The most that was ever used at once.
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  /// The most that was used at once since this was asked last. Threads: one asks.
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

/// Bytes held from a budget, given back when it is destroyed.
class MemoryBudget::Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { release(); }

  /// Holds `bytes` from now on; false if the growth does not fit, and nothing has changed then.
  [[nodiscard]] bool resize(std::uint64_t bytes);
  /// Gives everything back.
  void release();
  std::uint64_t bytes() const { return bytes_; }

 private:
  friend class MemoryBudget;
  Reservation(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}

  MemoryBudget* budget_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Makes `held` fit a buffer that is now `bytes` large: nothing for a small one. False when the
/// budget is exhausted.
[[nodiscard]] bool hold(MemoryBudget& memory, MemoryBudget::Reservation& held, std::uint64_t bytes);

}  // namespace bartizan
