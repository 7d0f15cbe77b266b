#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace bartizan {

/// What became of grants of front doors beside what the state file has of them: those that ended
/// while tokens of them may still be remembered as proved, and those whose client was just told
/// that a call needs more scopes.
///
/// Threads: any. Bounded: by the grants that end within the lifetime of an access token, and by
///          `kStepUpsMax`.
class GrantNotes {
 public:
  /// For how long a client that refreshes is taken for one that asks for more scopes.
  static constexpr std::int64_t kStepUpSeconds = 15;
  static constexpr std::size_t kStepUpsMax = 1024;

  /// Input: seconds since 1970 from which on no token of the grant is valid anyway.
  void end(std::string id, std::int64_t until, std::int64_t now);
  bool has_ended(std::string_view id) const;
  /// How often one ended: whoever remembers what a token proved asks again when that changes.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  /// Its client was told that a call needs more scopes.
  void note_step_up(const std::string& id, std::int64_t now);
  /// Whether that was so a moment ago; true once.
  bool take_step_up(std::string_view id, std::int64_t now);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> ended_;     ///< Until when.
  std::map<std::string, std::int64_t, std::less<>> step_ups_;  ///< By the grant, until when.
  std::atomic<std::uint64_t> changes_ = 0;
};

}  // namespace bartizan
