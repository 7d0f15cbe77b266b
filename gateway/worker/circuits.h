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

/// The circuit breakers of all servers in this process, guarded. Each instance has one. If an
/// instance serves several principals, each principal also has its own, so that only the principal
/// whose calls fail is refused.
///
/// Threads: any.
class Circuits {
 public:
  using Change = CircuitBreaker::Change;
  enum class Scope : std::uint8_t { instance, caller };
  /// The change that the end of a call caused, and for whom.
  struct News {
    Change change = Change::none;
    Scope scope = Scope::instance;
  };

  /// A call that passed the breaker. It reports the server's result, if there is one.
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    /// The call that this was before ends without a response.
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

    Circuits* circuits_;  ///< Null once the end was reported.
    BreakerConfig config_;
    std::vector<Circuit> entered_;
  };
  /// Otherwise, when to try again.
  using Answer = std::variant<Pass, std::chrono::milliseconds>;

  /// Whether a call of that principal to that instance may be tried. Another definition of a server
  /// starts with a closed breaker.
  Answer ask(const InstanceKey& instance, std::string_view principal, const BreakerConfig& config);

 private:
  std::mutex mutex_;
  CircuitTable table_;
};

}  // namespace bartizan
