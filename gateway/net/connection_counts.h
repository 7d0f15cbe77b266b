#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "schemas/base/limits.h"

namespace bartizan {

/// Counts the connections in all, and from each address.
///
/// Threads: any.
/// Bounded: by `connections_max`.
class ConnectionCounts {
 public:
  /// Sets the limit from now on.
  void bound(std::uint32_t connections_max);
  /// Takes a place for a connection from `address`. False if there is none, or if the address has
  /// its share. The share is `connections_per_address_max`, and less if few places are free.
  bool take(const std::string& address);
  void give_back(const std::string& address);
  std::size_t total();

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint32_t> counts_;
  std::uint32_t connections_max_ = limits::connections_max;
  std::uint32_t total_ = 0;
};

/// The most connections of a process that may open that many descriptors.
std::uint32_t connections_for(std::uint64_t descriptors);

}  // namespace bartizan
