#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace bartizan {

/// The result of a reload.
enum class ReloadResult : std::uint8_t { none, applied, refused, unchanged };
std::string_view text(ReloadResult result);

/// Why a configuration was refused.
struct ReloadRefusal {
  /// A short text for `/readyz`, whose readers may not be operators. It has at most the place of
  /// the first error, or the keys that need a restart. It has no value, and no path of a file in
  /// the configuration.
  std::string sentence;
  std::string detail = {};  ///< In full: for the log and the admin socket.
};
template <class T>
using Reloaded = std::expected<T, ReloadRefusal>;

/// The results of the reloads of this process, for metrics and `/readyz`.
struct ReloadStatus {
  std::uint64_t applied = 0, refused = 0, unchanged = 0;
  ReloadResult last = ReloadResult::none;
  std::int64_t last_at = 0;    ///< Seconds since 1970 UTC; of the start before the first reload.
  ReloadRefusal refusal = {};  ///< Of the last one; empty unless it was refused.
};

}  // namespace bartizan
