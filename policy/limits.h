#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/call.h"

namespace bartizan {

/// What a call is counted under, besides its names.
struct LimitFacts {
  std::string_view session;
  std::string_view address;
  /// Digest of the raw arguments, when a limit asks for it.
  std::array<std::uint8_t, 32> arguments{};
};

/// The limits of one policy, compiled. Immutable; says which buckets a call draws from.
class LimitSet {
 public:
  explicit LimitSet(const Config& config);

  /// One bucket that a call draws from: a 128-bit key of the limit and of what tells its buckets
  /// apart, and what the limit allows.
  struct Draw {
    std::array<std::uint64_t, 2> key;
    std::uint32_t limit;  ///< Index into `limits()`.
  };
  /// Everything that matches, at most `kDrawsMax`.
  std::vector<Draw> draws(const Call& call, const LimitFacts& facts) const;
  const std::vector<LimitConfig>& limits() const { return limits_; }
  /// Whether any limit is counted by arguments, so that their digest is needed.
  bool needs_argument_digest() const { return needs_argument_digest_; }

 private:
  std::vector<LimitConfig> limits_;
  bool needs_argument_digest_ = false;
};

/// The buckets themselves: state as a value, time as an argument. Bounded: at its capacity it
/// forgets a bucket that is full again, and where none is, refuses.
///
/// Threads: one at a time; the gateway guards it.
/// Cost:    about 50 ns a draw.
class LimitTable {
 public:
  explicit LimitTable(std::size_t buckets_max = 65'536);
  ~LimitTable();
  LimitTable(LimitTable&&) noexcept;
  LimitTable& operator=(LimitTable&&) noexcept;

  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.

  struct Refusal {
    std::uint32_t limit;  ///< The first limit without room.
    std::chrono::milliseconds retry_after;
  };
  /// Takes one from every bucket, or from none. Where a limit has `concurrency`, a slot is taken
  /// too, which `give_back` returns.
  std::optional<Refusal> take(const LimitSet& set, const std::vector<LimitSet::Draw>& draws,
                              Time now);
  void give_back(const LimitSet& set, const std::vector<LimitSet::Draw>& draws);
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bartizan
