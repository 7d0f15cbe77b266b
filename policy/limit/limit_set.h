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

/// Properties by which calls are counted, besides names, principal and arguments.
struct LimitFacts {
  std::string_view session;
  std::string_view address;
};

/// The most limits that one policy can have; `find_policy_problems` refuses more.
inline constexpr std::size_t kDrawsMax = 64;
/// The most windows of one bucket. A limit with more windows becomes several.
inline constexpr std::size_t kWindowsMax = 4;

/// A limit with its windows.
struct CountedLimit : LimitConfig {
  explicit CountedLimit(LimitConfig limit);

  std::vector<LimitWindow> windows;  ///< One for each rate.
};

/// The limits of one policy, compiled. Returns the buckets that a call draws from. Immutable.
///
/// A limit counts requests of clients. It counts tool calls only if it is per `tool` or per
/// arguments, names `tools`, or looks for loops. A limit with `except_tools` counts everything but
/// those tools.
class LimitSet {
 public:
  /// `seed` keys the hash of the buckets, so that a caller cannot choose arguments whose buckets
  /// collide. It must be random, and the same for every policy that one `LimitTable` serves.
  explicit LimitSet(const Config& config, const KnownNames& names = {}, const HashSeed& seed = {});

  /// One bucket that a call draws from: a 128-bit key of the limit and of the properties that
  /// select the bucket.
  struct Draw {
    std::array<std::uint64_t, 2> key;
    std::uint32_t limit;     ///< Index into `limits()`.
    std::uint64_t call = 0;  ///< Stands for the call if the limit looks for loops.
  };
  /// All that match, in the order of the limits' names. Empty if no limit counts the call.
  std::vector<Draw> draws(const Call& call, const LimitFacts& facts) const;
  using Indexes = std::vector<std::uint32_t>;
  /// The limits that count calls of `server/tool`; null for an unknown name.
  const Indexes* counting(std::string_view name) const;
  /// One entry for each kind of bucket. A limit with many windows has several entries.
  const std::vector<CountedLimit>& limits() const { return limits_; }

 private:
  void add(const LimitConfig& limit);
  Indexes counting_tool(std::string_view name) const;

  HashSeed seed_;
  std::vector<CountedLimit> limits_;
  std::vector<std::string> identities_;  ///< The beginning of a bucket's key, by limit.
  std::vector<std::array<std::uint64_t, 2>>
      shared_;            ///< The key of a bucket for all calls, by limit.
  Indexes without_tool_;  ///< The limits that count requests other than tool calls.
  std::unordered_map<std::string, Indexes, TextHash, std::equal_to<>> known_tools_;
};

}  // namespace bartizan
