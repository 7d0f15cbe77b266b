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

/// What a window of a limit counts: calls (`rate`), what calls cost (`budget`), or the bytes of
/// calls and of their answers (`bytes`).
enum class LimitUnit : std::uint8_t { calls, cost, bytes };

/// One window of a limit: at most `count` in `window`, refilled evenly.
struct Rate {
  std::uint64_t count = 0;
  std::chrono::milliseconds window{1000};
  LimitUnit unit = LimitUnit::calls;
};

/// `loop` of a limit: when calls go round in a circle. A call is refused where it would complete
/// the same sequence, of `calls` calls or fewer, for the `repeats`th time in a row.
struct LoopConfig {
  std::uint32_t calls = 4;    ///< The longest circle that is looked for.
  std::uint32_t repeats = 5;  ///< How often a circle is gone round before it is one; 2 at least.
  /// Without a call for so long, what was called before is forgotten.
  std::chrono::milliseconds pause{60'000};
  bool operator==(const LoopConfig&) const = default;
};

/// What buckets of a limit are told apart by.
enum class LimitKey : std::uint8_t { principal, server, tool, method, session, address, arguments };

/// As `per` writes it.
std::string_view text(LimitKey key);

/// `[limit.NAME]`: every limit that matches must have room; all are charged together or none.
struct LimitConfig {
  std::string name = {};
  std::vector<LimitKey> per = {};
  std::vector<std::string> per_attributes = {};  ///< Of principals: `attributes.NAME` in `per`.
  std::vector<Rate> rates = {};  ///< Of `rate`, `budget` and `bytes`, in this order.
  /// Size of the buckets of `rate`; the window's count by default.
  std::optional<std::uint64_t> burst = {};
  std::optional<std::uint32_t> concurrency = {};
  std::uint32_t queue = 0;  ///< Calls that may wait for one of `concurrency`; by default none.
  std::chrono::milliseconds queue_timeout{5'000};  ///< How long one waits at most.
  std::optional<LoopConfig> loop = {};
  std::vector<std::string> tools = {};         ///< Globs; empty is every call.
  std::vector<std::string> except_tools = {};  ///< `tools = { except = […] }`
  Position where = {};
};

/// The limits that hold where the configuration says nothing: `everyone` 1000/s and 60000/min,
/// `user` 200/s and 6000/min per principal, `tool` 100/s and 3000/min per principal and tool.
std::map<std::string, LimitConfig, std::less<>> default_limits();

}  // namespace bartizan
