#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "policy/access/access_table.h"
#include "policy/limit/limit_window.h"
#include "policy/text/keyed_hash.h"
#include "policy/verdict/call.h"
#include "schemas/base/text_hash.h"

namespace bartizan {

/// What a call is counted under, besides its names, its principal and its arguments.
struct LimitFacts {
  std::string_view session;
  std::string_view address;
};

/// The most limits that one policy can have; `find_policy_problems` refuses more.
inline constexpr std::size_t kDrawsMax = 64;
/// Windows that one bucket holds. A limit with more of them becomes several.
inline constexpr std::size_t kWindowsMax = 4;

/// A limit with what its windows come to.
struct CountedLimit : LimitConfig {
  explicit CountedLimit(LimitConfig limit);

  std::vector<LimitWindow> windows;  ///< One for each rate.
};

/// The limits of one policy, compiled. Immutable; says which buckets a call draws from.
///
/// A limit counts requests of clients. One that is told apart by `tool` or by arguments, that names
/// `tools` or looks for loops, counts tool calls only; one with `except_tools` counts everything
/// but those.
class LimitSet {
 public:
  /// `seed` keys the hash of the buckets, so that nobody can choose arguments whose buckets
  /// collide: random, and the same for every policy that one `LimitTable` serves.
  explicit LimitSet(const Config& config, const KnownNames& names = {}, const HashSeed& seed = {});

  /// One bucket that a call draws from: a 128-bit key of the limit and of what tells its buckets
  /// apart, and what the limit allows.
  struct Draw {
    std::array<std::uint64_t, 2> key;
    std::uint32_t limit;     ///< Index into `limits()`.
    std::uint64_t call = 0;  ///< What stands for the call where the limit looks for loops.
  };
  /// Everything that matches, in the order of the limits' names. Empty for what no limit counts.
  std::vector<Draw> draws(const Call& call, const LimitFacts& facts) const;
  using Indexes = std::vector<std::uint32_t>;
  /// The limits that count calls of `server/tool`; null for a name that is not known.
  const Indexes* counting(std::string_view name) const;
  /// One entry for each kind of bucket: a limit with many windows stands here several times.
  const std::vector<CountedLimit>& limits() const { return limits_; }

 private:
  void add(const LimitConfig& limit);
  Indexes counting_tool(std::string_view name) const;

  HashSeed seed_;
  std::vector<CountedLimit> limits_;
  std::vector<std::string> identities_;  ///< What a bucket's key begins with, by limit.
  std::vector<std::array<std::uint64_t, 2>> shared_;  ///< The key of a bucket that all share.
  Indexes without_tool_;  ///< The limits that count requests other than tool calls.
  std::unordered_map<std::string, Indexes, TextHash, std::equal_to<>> known_tools_;
};

}  // namespace bartizan
