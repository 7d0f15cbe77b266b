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

namespace bartizan {

/// Whether calls to one server, or to one instance of it, are worth trying. Closed, they pass;
/// after so many failures in a window it opens, and they are refused; after a while one is tried,
/// whose end closes it or opens it again. State as a value, time as an argument.
class CircuitBreaker {
 public:
  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.
  enum class Change : std::uint8_t { none, opened, closed };
  /// How a call passes: as any does while it is closed, or as the one that is tried. It tells its
  /// end as what it passed as: what was sent before it opened says nothing new.
  enum class Passage : std::uint8_t { any, trial };
  /// Or when to try again.
  using Answer = std::variant<Passage, std::chrono::milliseconds>;

  Answer ask(const BreakerConfig& config, Time now);
  Change failed(const BreakerConfig& config, Passage passage, Time now);
  Change succeeded(Passage passage);
  /// The call ended without saying anything about the server: its client cancelled it.
  void abandoned(Passage passage);

  /// Whether there is nothing to remember.
  bool is_idle(const BreakerConfig& config, Time now) const;

 private:
  void open(const BreakerConfig& config, Time now);

  std::vector<Time> failures_;      ///< The latest ones, at most as many as open it.
  std::optional<Time> open_until_;  ///< Open; from then on, one call is tried.
  bool is_trying_ = false;
};

/// The breakers of all servers. One belongs to each server, or to each owner of instances where
/// these are apart, so that nobody closes a server to others by breaking an instance of its own.
/// Bounded: at its capacity it forgets those that have nothing to remember, and then any.
///
/// Threads: one at a time; the gateway guards it.
class CircuitTable {
 public:
  explicit CircuitTable(std::size_t breakers_max = 4096) : breakers_max_(breakers_max) {}

  using Time = CircuitBreaker::Time;
  using Passage = CircuitBreaker::Passage;
  using Change = CircuitBreaker::Change;
  /// The same as of a breaker. `key` names the server and the owner.
  CircuitBreaker::Answer ask(std::string_view key, const BreakerConfig& config, Time now);
  Change failed(std::string_view key, const BreakerConfig& config, Passage passage, Time now);
  Change succeeded(std::string_view key, Passage passage);
  void abandoned(std::string_view key, Passage passage);
  std::size_t size() const { return breakers_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void make_room(const BreakerConfig& config, Time now);

  std::size_t breakers_max_;
  std::unordered_map<std::string, CircuitBreaker, Hash, std::equal_to<>> breakers_;
};

}  // namespace bartizan
