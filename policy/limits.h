#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "policy/access_table.h"
#include "policy/call.h"
#include "policy/keyed_hash.h"

namespace bartizan {

/// What a call is counted under, besides its names.
struct LimitFacts {
  std::string_view session;
  std::string_view address;
  /// Digest of the raw arguments, when a limit asks for it.
  std::array<std::uint8_t, 32> arguments{};
};

/// The most limits that one policy can have; `find_policy_problems` refuses more.
inline constexpr std::size_t kDrawsMax = 64;
/// Windows that one bucket holds. A limit with more of them becomes several.
inline constexpr std::size_t kWindowsMax = 4;

/// The limits of one policy, compiled. Immutable; says which buckets a call draws from.
///
/// A limit counts requests of clients. One that is told apart by `tool`, or that names `tools`,
/// counts tool calls only; one with `except_tools` counts everything but those.
class LimitSet {
 public:
  /// `seed` keys the hash of the buckets, so that nobody can choose arguments whose buckets
  /// collide: random, and the same for every policy that one `LimitTable` serves.
  explicit LimitSet(const Config& config, const KnownNames& names = {}, const HashSeed& seed = {});

  /// One bucket that a call draws from: a 128-bit key of the limit and of what tells its buckets
  /// apart, and what the limit allows.
  struct Draw {
    std::array<std::uint64_t, 2> key;
    std::uint32_t limit;  ///< Index into `limits()`.
  };
  /// Everything that matches, in the order of the limits' names. Empty for what no limit counts.
  std::vector<Draw> draws(const Call& call, const LimitFacts& facts) const;
  /// One entry for each kind of bucket: a limit with many windows stands here several times.
  const std::vector<LimitConfig>& limits() const { return limits_; }
  /// Whether any limit is counted by arguments, so that their digest is needed.
  bool needs_argument_digest() const { return needs_argument_digest_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Indexes = std::vector<std::uint32_t>;

  void add(const LimitConfig& limit);
  Indexes counting_tool(std::string_view name) const;

  HashSeed seed_;
  std::vector<LimitConfig> limits_;
  std::vector<std::string> identities_;  ///< What a bucket's key begins with, by limit.
  Indexes without_tool_;                 ///< The limits that count requests other than tool calls.
  std::unordered_map<std::string, Indexes, Hash, std::equal_to<>> known_tools_;
  bool needs_argument_digest_ = false;
};

/// The buckets themselves: state as a value, time as an argument. Integers only, so that nothing
/// drifts. Bounded: at its capacity it forgets a bucket that is full again and in no use; where it
/// finds none within `kEvictionStepsMax` steps, it refuses.
///
/// Threads: one at a time; the gateway guards it.
/// Cost:    about 50 ns a draw.
class LimitTable {
 public:
  static constexpr std::size_t kEvictionStepsMax = 1024;

  explicit LimitTable(std::size_t buckets_max = 65'536);
  ~LimitTable();
  LimitTable(LimitTable&&) noexcept;
  LimitTable& operator=(LimitTable&&) noexcept;

  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.

  struct Refusal {
    std::uint32_t limit;  ///< The first limit without room.
    /// When that limit has room again if nobody else draws; a second where only slots are taken,
    /// a day at most.
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
