#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace bartizan {

/// Short-lived facts about grants of front doors that the state file does not have. They are the
/// grants that ended while their tokens may still be cached as verified, and those whose client was
/// just told that a call needs more scopes.
///
/// Threads: any. Bounded: by the grants that end within the lifetime of an access token, and by
///          `kStepUpsMax`.
class GrantNotes {
 public:
  /// The time in which a refresh counts as a request for more scopes.
  static constexpr std::int64_t kStepUpSeconds = 15;
  static constexpr std::size_t kStepUpsMax = 1024;

  /// Input: `until`, seconds since 1970 from which on no token of the grant is valid anyway.
  void end(std::string id, std::int64_t until, std::int64_t now);
  bool has_ended(std::string_view id) const;
  /// The number of ends of grants. Caches of verified tokens check again when it changes.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  /// Records that the client was told that a call needs more scopes.
  void note_step_up(const std::string& id, std::int64_t now);
  /// Whether that happened within `kStepUpSeconds`; true once.
  bool take_step_up(std::string_view id, std::int64_t now);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> ended_;     ///< The end of each note.
  std::map<std::string, std::int64_t, std::less<>> step_ups_;  ///< The end of each note, by grant.
  std::atomic<std::uint64_t> changes_ = 0;
};

}  // namespace bartizan
