#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gateway/runtime/random.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

class ModernClientCall;

namespace limits {
/// The most calls, of one principal and in total, that wait for input from their clients. They may
/// take half the places of an instance.
inline constexpr std::size_t parked_of_principal_max = 32;
inline constexpr std::size_t parked_calls_max = 4096;
}  // namespace limits

/// The calls to legacy servers that wait for input from modern clients. Such a client gets the
/// server's request as the response, and sends the input in a new request, to any worker.
///
/// Threads: any.
class ParkedCalls {
 public:
  /// The caller of a parked call, and the instance where it waits.
  struct Owner {
    std::string principal;
    std::string instance;    ///< The instance's unique name.
    std::size_t places = 0;  ///< Of the instance.
  };
  /// Parks the call and returns its unguessable name; empty if there are too many.
  std::string park(std::shared_ptr<ModernClientCall> call, const Owner& owner, Random& random);
  /// Removes and returns the call of that name; null if there is none any more. A name works once.
  std::shared_ptr<ModernClientCall> take(std::string_view name);
  std::size_t size() const;

 private:
  struct Parked {
    std::shared_ptr<ModernClientCall> call;
    std::string principal;  ///< For the count.
    std::string instance;   ///< For the count.
  };
  void give_back(const std::string& counted);

  mutable std::mutex mutex_;
  std::map<std::string, Parked, std::less<>> parked_;
  std::map<std::string, std::size_t, std::less<>> counts_;  ///< By principal, and by instance.
};

/// The log level of each instance of a legacy server, requested for modern clients. These name a
/// level in each request.
///
/// Threads: any. Bounded: entries that do not fit are dropped, and their levels sent again.
class BridgedLogLevels {
 public:
  /// Whether the level must be sent to the instance, which logs less so far.
  bool raise(const InstanceKey& key, std::string_view level);
  /// Drops the level of an instance that has restarted.
  void forget(const InstanceKey& key);

 private:
  std::mutex mutex_;
  std::map<InstanceKey, std::size_t> levels_;
};

/// The severity of a level: 0 for `debug`, and above the last level's for an unknown one.
/// Source: RFC 5424 §6.2.1; MCP 2026-07-28, server/utilities/logging.
std::size_t log_severity(std::string_view level);

}  // namespace bartizan
