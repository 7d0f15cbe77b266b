#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "config/config.h"
#include "gateway/upstream.h"
#include "policy/circuit_breaker.h"

namespace bartizan {

/// The circuit breakers of all servers, guarded: they hold for the whole process.
///
/// Threads: any.
class Circuits {
 public:
  using Change = CircuitBreaker::Change;

  /// A call that passed. It tells how the server did; one that does not has nothing to say.
  class Pass {
   public:
    Pass(Circuits& circuits, std::string key, const BreakerConfig& config,
         CircuitBreaker::Passage passage)
        : circuits_(&circuits), key_(std::move(key)), config_(config), passage_(passage) {}
    Pass(Pass&& other) noexcept;
    Pass& operator=(Pass&&) = delete;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass();

    Change failed();
    Change succeeded();

   private:
    Circuits* circuits_;  ///< Null once the end was told.
    std::string key_;
    BreakerConfig config_;
    CircuitBreaker::Passage passage_;
  };
  /// Or when to try again.
  using Answer = std::variant<Pass, std::chrono::milliseconds>;

  /// Whether a call to that instance is worth trying. Instances that belong to somebody are told
  /// apart; another definition of a server begins anew.
  Answer ask(const InstanceKey& instance, const BreakerConfig& config);

 private:
  std::mutex mutex_;
  CircuitTable table_;
};

}  // namespace bartizan
