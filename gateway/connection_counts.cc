#include "gateway/connection_counts.h"

#include "schemas/limits.h"

namespace bartizan {

bool ConnectionCounts::take(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (total_ >= limits::connections_max) return false;
  std::uint32_t& count = counts_[address];
  if (count >= limits::connections_per_address_max) return false;
  ++count;
  ++total_;
  return true;
}

void ConnectionCounts::give_back(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(address);
  if (found == counts_.end()) return;
  --total_;
  if (--found->second == 0) counts_.erase(found);
}

std::size_t ConnectionCounts::total() {
  const std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace bartizan
