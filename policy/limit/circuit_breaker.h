#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "config/config.h"
#include "schemas/base/text_hash.h"

namespace bartizan {

/// Decides whether calls to one instance of a server pass. While closed, calls pass. After a number
/// of failures in a window it opens, and calls are refused. After a while it tries one call.
/// Success closes it; failure opens it again. State as a value, time as an argument.
///
/// A caller can provoke failures, such as with arguments that take very long. If an instance serves
/// several callers, no caller's failures count for more than half of those that open it. Failures
/// of two callers are needed. Likewise, trials of two callers must fail before it stays open. A
/// caller whose trial failed is not tried again while others may be.
class CircuitBreaker {
 public:
  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.
  /// Stands for the caller; nothing if all calls are of one caller.
  using Caller = std::optional<std::uint64_t>;
  enum class Change : std::uint8_t { none, opened, closed };
  /// How a call passes: freely, or as the trial with a number. The end of the call is reported with
  /// its passage. The end is ignored if the call was sent before the circuit opened, or if another
  /// trial has replaced it.
  struct Passage {
    std::uint64_t trial = 0;  ///< 0 for a call that is not a trial.
    bool operator==(const Passage&) const = default;
  };
  /// A passage, or the time until the next attempt.
  using Answer = std::variant<Passage, std::chrono::milliseconds>;

  /// A trial has as long as the circuit was open. Then another call is tried.
  Answer ask(const BreakerConfig& config, Caller caller, Time now);
  Change failed(const BreakerConfig& config, Passage passage, Caller caller, Time now);
  Change succeeded(Passage passage);
  /// The call ended without evidence about the server: its client cancelled it.
  void abandoned(Passage passage);

  /// Whether there is no state to keep.
  bool is_idle(const BreakerConfig& config, Time now) const;

 private:
  struct Failure {
    Caller caller;
    Time at;
  };

  void note(const BreakerConfig& config, Failure failure);
  bool is_enough(const BreakerConfig& config) const;
  void open(const BreakerConfig& config, Time now);
  Change end_in_vain(const BreakerConfig& config, Time now);

  /// A trial call, and the time until which no other call is tried.
  struct Trial {
    std::uint64_t number;
    Caller caller;
    Time until;
  };

  std::vector<Failure> failures_;         ///< Those that count, oldest first.
  std::optional<Time> open_until_;        ///< Set while open. From this time on, one call is tried.
  std::optional<Trial> trial_;            ///< The present trial.
  std::optional<Failure> tried_in_vain_;  ///< The failed trial since it opened.
  std::uint64_t last_trial_ = 0;
};

/// The breakers of all servers.
/// Bounded: at its capacity it forgets breakers that are idle, and then any.
///
/// Threads: one at a time; the gateway guards it.
class CircuitTable {
 public:
  explicit CircuitTable(std::size_t breakers_max = 4096) : breakers_max_(breakers_max) {}

  using Time = CircuitBreaker::Time;
  using Passage = CircuitBreaker::Passage;
  using Change = CircuitBreaker::Change;
  /// Each calls the function of the same name on the breaker of `key`. `key` names the instance,
  /// and its caller.
  CircuitBreaker::Answer ask(std::string_view key, const BreakerConfig& config,
                             CircuitBreaker::Caller caller, Time now);
  Change failed(std::string_view key, const BreakerConfig& config, Passage passage,
                CircuitBreaker::Caller caller, Time now);
  Change succeeded(std::string_view key, Passage passage);
  void abandoned(std::string_view key, Passage passage);
  std::size_t size() const { return breakers_.size(); }

 private:
  void make_room(const BreakerConfig& config, Time now);

  std::size_t breakers_max_;
  std::unordered_map<std::string, CircuitBreaker, TextHash, std::equal_to<>> breakers_;
};

}  // namespace bartizan
