#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "gateway/upstream/upstream.h"
#include "policy/limit/circuit_breaker.h"

namespace bartizan {

/// The circuit breakers of all servers, guarded: they hold for the whole process. Each instance has
/// one; where it serves several principals, each of them has one of its own beside it, so that
/// somebody whose calls fail alone is refused alone.
///
/// Threads: any.
class Circuits {
 public:
  using Change = CircuitBreaker::Change;
  enum class Scope : std::uint8_t { instance, caller };
  /// What the end of a call changed, and for whom.
  struct News {
    Change change = Change::none;
    Scope scope = Scope::instance;
  };

  /// A call that passed. It tells how the server did; one that does not has nothing to say.
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    /// The one that it was ends as one that nobody answered.
    Pass& operator=(Pass&& other) noexcept;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass();

    std::vector<News> failed();
    std::vector<News> succeeded();

   private:
    friend class Circuits;
    struct Circuit {
      std::string key;
      Scope scope;
      CircuitBreaker::Caller caller;
      CircuitBreaker::Passage passage;
    };
    Pass(Circuits& circuits, const BreakerConfig& config) : circuits_(&circuits), config_(config) {}

    Circuits* circuits_;  ///< Null once the end was told.
    BreakerConfig config_;
    std::vector<Circuit> entered_;
  };
  /// Or when to try again.
  using Answer = std::variant<Pass, std::chrono::milliseconds>;

  /// Whether a call of that principal to that instance is worth trying. Another definition of a
  /// server begins anew.
  Answer ask(const InstanceKey& instance, std::string_view principal, const BreakerConfig& config);

 private:
  std::mutex mutex_;
  CircuitTable table_;
};

}  // namespace bartizan
