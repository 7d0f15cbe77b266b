#include "gateway/runtime/memory_shares.h"

#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

std::size_t MemoryShares::holders() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

bool MemoryShares::take(const std::string& principal, std::uint64_t bytes) {
  const std::uint64_t bytes_max = this->bytes_max();
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(principal);
  if (found == held_.end()) {
    held_.emplace(principal, bytes);
    return true;
  }
  // More than the share is held where a first answer was larger, or the budget was lowered.
  if (found->second > bytes_max || bytes > bytes_max - found->second) return false;
  found->second += bytes;
  return true;
}

void MemoryShares::give_back(const std::string& principal, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(principal);
  found->second -= bytes;
  if (found->second == 0) held_.erase(found);
}

MemoryShares::Held::Held(Held&& other) noexcept
    : shares_(std::exchange(other.shares_, nullptr)),
      principal_(std::move(other.principal_)),
      memory_(std::move(other.memory_)) {}

MemoryShares::Held& MemoryShares::Held::operator=(Held&& other) noexcept {
  if (this == &other) return *this;
  release();
  shares_ = std::exchange(other.shares_, nullptr);
  principal_ = std::move(other.principal_);
  memory_ = std::move(other.memory_);
  return *this;
}

bool MemoryShares::Held::hold(MemoryShares& shares, const std::string& principal,
                              std::uint64_t bytes) {
  if (bytes <= limits::unbudgeted_bytes_max) {
    release();
    return true;
  }
  const std::uint64_t before = memory_.bytes();
  if (bytes > before && !shares.take(principal, bytes - before)) return false;
  if (!bartizan::hold(shares.memory_, memory_, bytes)) {
    shares.give_back(principal, bytes - before);
    return false;
  }
  if (bytes < before) shares.give_back(principal, before - bytes);
  shares_ = &shares;
  principal_ = principal;
  return true;
}

void MemoryShares::Held::release() {
  if (shares_ == nullptr) return;
  // The budget first: another thread may take the share the moment it is given back.
  const std::uint64_t bytes = memory_.bytes();
  memory_.release();
  shares_->give_back(principal_, bytes);
  shares_ = nullptr;
}

}  // namespace bartizan
