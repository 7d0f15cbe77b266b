#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// The unit of a window: calls (`rate`), costs of calls (`budget`), or bytes of calls and their
/// responses (`bytes`).
enum class LimitUnit : std::uint8_t { calls, cost, bytes };

/// One window of a limit: at most `count` in `window`, refilled evenly.
struct Rate {
  std::uint64_t count = 0;
  std::chrono::milliseconds window{1000};
  LimitUnit unit = LimitUnit::calls;
};

/// `loop` of a limit: detects calls that repeat in a circle. It refuses a call that would complete
/// the same sequence for the `repeats`th time in a row. Sequences have at most `calls` calls.
struct LoopConfig {
  std::uint32_t calls = 4;    ///< The longest detected sequence.
  std::uint32_t repeats = 5;  ///< Repetitions that make a loop; at least 2.
  /// After a pause this long, earlier calls are forgotten.
  std::chrono::milliseconds pause{60'000};
  bool operator==(const LoopConfig&) const = default;
};

/// What separates the buckets of a limit.
enum class LimitKey : std::uint8_t { principal, server, tool, method, session, address, arguments };

/// The key as `per` spells it.
std::string_view text(LimitKey key);

/// `[limit.NAME]`: every matching limit must have room. All are charged together, or none.
struct LimitConfig {
  std::string name = {};
  std::vector<LimitKey> per = {};
  /// Attributes of principals: `attributes.NAME` in `per`.
  std::vector<std::string> per_attributes = {};
  std::vector<Rate> rates = {};  ///< From `rate`, `budget` and `bytes`, in this order.
  /// Bucket size of `rate`; nothing: the window's count.
  std::optional<std::uint64_t> burst = {};
  std::optional<std::uint32_t> concurrency = {};
  std::uint32_t queue = 0;  ///< Calls that may wait for a free slot of `concurrency`.
  std::chrono::milliseconds queue_timeout{5'000};  ///< The longest wait of a call.
  std::optional<LoopConfig> loop = {};
  std::vector<std::string> tools = {};         ///< Globs; empty: every call.
  std::vector<std::string> except_tools = {};  ///< `tools = { except = […] }`
  Position where = {};
};

/// The default limits: `everyone` 1000/s and 60000/min, `user` 200/s and 6000/min per principal,
/// `tool` 100/s and 3000/min per principal and tool.
std::map<std::string, LimitConfig, std::less<>> default_limits();

}  // namespace bartizan
