#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bartizan {

/// How a request to read the configuration again ended.
enum class ReloadResult : std::uint8_t { none, applied, refused, unchanged };
std::string_view text(ReloadResult result);

/// What the reloads of this process came to, for metrics and `/readyz`.
struct ReloadStatus {
  std::uint64_t applied = 0, refused = 0, unchanged = 0;
  ReloadResult last = ReloadResult::none;
  std::int64_t last_at = 0;  ///< Seconds since 1970 UTC; of the start before the first reload.
  /// Where it was refused and how often, or which keys need a restart. Never a value.
  std::string error = {};
};

}  // namespace bartizan
