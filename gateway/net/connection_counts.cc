#include "gateway/net/connection_counts.h"

#include <algorithm>

namespace bartizan {
namespace {

/// The largest part of the free places for one address. With fewer free places each address gets
/// fewer, so that a new client still finds a place.
constexpr std::uint32_t kShareOfFreePlaces = 4;
/// Percent of the process's descriptors for clients. Servers, the record and the status pages need
/// the others, even with many clients.
constexpr std::uint64_t kShareOfDescriptors = 75;

/// The most connections of one address with so many free places.
std::uint32_t part_of(std::uint32_t free_places) {
  const std::uint32_t part = std::max(1U, free_places / kShareOfFreePlaces);
  return std::min(part, limits::connections_per_address_max);
}

}  // namespace

void ConnectionCounts::bound(std::uint32_t connections_max) {
  const std::lock_guard lock(mutex_);
  connections_max_ = connections_max;
}

bool ConnectionCounts::take(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (total_ >= connections_max_) return false;
  const auto found = counts_.find(address);
  const std::uint32_t count = found == counts_.end() ? 0 : found->second;
  if (count >= part_of(connections_max_ - total_)) return false;
  ++counts_[address];
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

std::uint32_t connections_for(std::uint64_t descriptors) {
  // More than a process can open, without overflow.
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 32;
  const std::uint64_t share = std::min(descriptors, kEnough) * kShareOfDescriptors / 100;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(share, limits::connections_max));
}

}  // namespace bartizan
