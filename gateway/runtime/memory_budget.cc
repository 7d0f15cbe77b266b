#include "gateway/runtime/memory_budget.h"

#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

std::optional<MemoryBudget::Reservation> MemoryBudget::reserve(std::uint64_t bytes) {
  if (!take(bytes)) return std::nullopt;
  return Reservation(*this, bytes);
}

// More than the bound is held where the bound was lowered meanwhile.
bool MemoryBudget::has_room(std::uint64_t bytes) const {
  const std::uint64_t bytes_max = this->bytes_max();
  const std::uint64_t used = this->used();
  return used <= bytes_max && bytes <= bytes_max - used;
}

// Only the counters are shared, never what the bytes hold, so relaxed order is enough.
bool MemoryBudget::take(std::uint64_t bytes) {
  const std::uint64_t bytes_max = this->bytes_max();
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used > bytes_max || bytes > bytes_max - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  for (std::atomic<std::uint64_t>* const most : {&peak_, &recent_peak_}) {
    std::uint64_t peak = most->load(std::memory_order_relaxed);
    while (used + bytes > peak &&
           !most->compare_exchange_weak(peak, used + bytes, std::memory_order_relaxed)) {
    }
  }
  return true;
}

MemoryBudget::Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MemoryBudget::Reservation& MemoryBudget::Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  release();
  budget_ = std::exchange(other.budget_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

bool MemoryBudget::Reservation::resize(std::uint64_t bytes) {
  if (budget_ == nullptr) return bytes == 0;
  if (bytes > bytes_ && !budget_->take(bytes - bytes_)) return false;
  if (bytes < bytes_) budget_->give_back(bytes_ - bytes);
  bytes_ = bytes;
  return true;
}

void MemoryBudget::Reservation::release() {
  if (budget_ == nullptr) return;
  budget_->give_back(bytes_);
  budget_ = nullptr;
  bytes_ = 0;
}

bool hold(MemoryBudget& memory, MemoryBudget::Reservation& held, std::uint64_t bytes) {
  if (bytes <= limits::unbudgeted_bytes_max) {
    held.release();
    return true;
  }
  if (held.bytes() > 0) return held.resize(bytes);
  auto reservation = memory.reserve(bytes);
  if (!reservation.has_value()) return false;
  held = std::move(*reservation);
  return true;
}

}  // namespace bartizan
