#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace bartizan {

/// How many connections there are, in all and from each address.
///
/// Threads: any. Bounded by `connections_max`.
class ConnectionCounts {
 public:
  bool take(const std::string& address);
  void give_back(const std::string& address);
  std::size_t total();

 private:
  std::mutex mutex_;
  std::map<std::string, std::uint32_t> counts_;
  std::size_t total_ = 0;
};

}  // namespace bartizan
