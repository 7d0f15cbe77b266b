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

/// Whether calls to one instance of a server are worth trying. Closed, they pass; after so many
/// failures in a window it opens, and they are refused; after a while one is tried, whose end
/// closes it or opens it again. State as a value, time as an argument.
///
/// A caller may provoke failures, by arguments that take for ever. So where an instance serves
/// several, no caller's failures count for more than half of those that open it, and two callers
/// must have met one. Likewise two callers must have been tried in vain before it stays open: whose
/// trial failed is not tried again while others may be.
class CircuitBreaker {
 public:
  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.
  /// What stands for who called; nothing where all calls are one caller's.
  using Caller = std::optional<std::uint64_t>;
  enum class Change : std::uint8_t { none, opened, closed };
  /// How a call passes: as any does while it is closed, or as the one that is tried, by a number.
  /// It tells its end as what it passed as: what was sent before it opened, or was tried so long
  /// that another one is tried now, says nothing new.
  struct Passage {
    std::uint64_t trial = 0;  ///< 0 for any.
    bool operator==(const Passage&) const = default;
  };
  /// Or when to try again.
  using Answer = std::variant<Passage, std::chrono::milliseconds>;

  /// A call that is tried has as long as the circuit was open; then another one is.
  Answer ask(const BreakerConfig& config, Caller caller, Time now);
  Change failed(const BreakerConfig& config, Passage passage, Caller caller, Time now);
  Change succeeded(Passage passage);
  /// The call ended without saying anything about the server: its client cancelled it.
  void abandoned(Passage passage);

  /// Whether there is nothing to remember.
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

  /// A call that is tried, and how long nobody else is.
  struct Trial {
    std::uint64_t number;
    Caller caller;
    Time until;
  };

  std::vector<Failure> failures_;         ///< Those that count, oldest first.
  std::optional<Time> open_until_;        ///< Open; from then on, one call is tried.
  std::optional<Trial> trial_;            ///< The one that is.
  std::optional<Failure> tried_in_vain_;  ///< Since it opened.
  std::uint64_t last_trial_ = 0;
};

/// The breakers of all servers.
/// Bounded: at its capacity it forgets those that have nothing to remember, and then any.
///
/// Threads: one at a time; the gateway guards it.
class CircuitTable {
 public:
  explicit CircuitTable(std::size_t breakers_max = 4096) : breakers_max_(breakers_max) {}

  using Time = CircuitBreaker::Time;
  using Passage = CircuitBreaker::Passage;
  using Change = CircuitBreaker::Change;
  /// Each does to the breaker of `key` what the function of that name does to a `CircuitBreaker`.
  /// `key` names the instance, and who calls it.
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
