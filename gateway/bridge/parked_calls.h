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
/// Calls of one principal, and of all, that wait for their clients to come back with input. Of one
/// instance's places, half are left for others.
inline constexpr std::size_t parked_of_principal_max = 32;
inline constexpr std::size_t parked_calls_max = 4096;
}  // namespace limits

/// Calls to legacy servers that asked their clients for input. A modern client gets that question
/// as the answer, and comes back with a request of its own, on any worker.
///
/// Threads: any.
class ParkedCalls {
 public:
  /// Whose call is parked, and where it waits.
  struct Owner {
    std::string principal;
    std::string instance;    ///< A name of its own.
    std::size_t places = 0;  ///< Of the instance.
  };
  /// Keeps the call under a name that nobody can guess. Empty where there are too many.
  std::string park(std::shared_ptr<ModernClientCall> call, const Owner& owner, Random& random);
  /// Takes the call of that name out; null where there is none, or not any more. A name works once.
  std::shared_ptr<ModernClientCall> take(std::string_view name);
  std::size_t size() const;

 private:
  struct Parked {
    std::shared_ptr<ModernClientCall> call;
    std::string principal;  ///< As it is counted.
    std::string instance;   ///< As it is counted.
  };
  void give_back(const std::string& counted);

  mutable std::mutex mutex_;
  std::map<std::string, Parked, std::less<>> parked_;
  std::map<std::string, std::size_t, std::less<>> counts_;  ///< By principal, and by instance.
};

/// How much each instance of a legacy server was asked to log for modern clients, which say it in
/// each request.
///
/// Threads: any. Bounded: what does not fit is forgotten, and said again.
class BridgedLogLevels {
 public:
  /// Whether the instance has to be told that level: it logs less as yet.
  bool raise(const InstanceKey& key, std::string_view level);
  /// The instance has begun anew, and knows nothing of it.
  void forget(const InstanceKey& key);

 private:
  std::mutex mutex_;
  std::map<InstanceKey, std::size_t> levels_;
};

/// How severe a level is: 0 for `debug`. Beyond the last for what is none.
/// Source: RFC 5424 §6.2.1; MCP 2026-07-28, server/utilities/logging.
std::size_t log_severity(std::string_view level);

}  // namespace bartizan
