#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace bartizan {

/// How a request to read the configuration again ended.
enum class ReloadResult : std::uint8_t { none, applied, refused, unchanged };
std::string_view text(ReloadResult result);

/// Why a configuration was not taken.
struct ReloadRefusal {
  /// One for each kind, for `/readyz`, whose readers need not be operators: at most where the first
  /// error is, or which keys need a restart. Never a value, nor the path of a file that is named.
  std::string sentence;
  std::string detail = {};  ///< In full: for the log and the admin socket.
};
template <class T>
using Reloaded = std::expected<T, ReloadRefusal>;

/// What the reloads of this process came to, for metrics and `/readyz`.
struct ReloadStatus {
  std::uint64_t applied = 0, refused = 0, unchanged = 0;
  ReloadResult last = ReloadResult::none;
  std::int64_t last_at = 0;    ///< Seconds since 1970 UTC; of the start before the first reload.
  ReloadRefusal refusal = {};  ///< Of the last one; empty unless it was refused.
};

}  // namespace bartizan
