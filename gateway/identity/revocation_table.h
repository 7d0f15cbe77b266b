#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/identity/credentials.h"
#include "gateway/store/revocations.h"
#include "policy/check/check_blocked.h"
#include "policy/verdict/reason.h"
#include "schemas/base/text_hash.h"

namespace bartizan {

/// The revocations and blocks of operators: the rows of the state file, in memory for every
/// request.
///
/// Threads: any, but for `watch` and `tell`.
/// Bounded: by `limits::revocations_max`, which the store enforces.
/// Cost:    of a question while nothing is revoked, one atomic load; otherwise a look-up for each
///          kind that has any, and for tokens one SHA-256.
class RevocationTable {
 public:
  using Seconds = std::chrono::sys_seconds;

  /// Input: the number of loops that can watch; see `watch`.
  explicit RevocationTable(std::size_t loops = 0) : watches_(loops) {}

  /// Whether nothing is revoked or blocked.
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  /// Increases with each change. Answers from before a change are out of date.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// Increases with each change of the names that are blocked for everybody. Lists then change,
  /// too.
  std::uint64_t blocks_version() const { return blocks_version_.load(std::memory_order_acquire); }

  /// Adds all of these, at the start. Input: the rows from the store.
  void load(const std::vector<Revocation>& held);
  /// Adds a revocation. Input: the row from the store.
  void add(const Revocation& revocation);
  /// Removes the revocation with that number, and returns it; nothing if there is none.
  std::optional<Revocation> remove(std::int64_t id);
  /// Removes the revocations that have ended, and returns them.
  std::vector<Revocation> drop_ended(Seconds now);

  /// The revocation with that number, if it is in force.
  std::optional<Revocation> find(std::int64_t id) const;
  /// All that are in force, by their numbers.
  std::vector<Revocation> all() const;

  /// The reason to refuse a caller with that principal and credential: `revoked` or `blocked`;
  /// otherwise `none`.
  Reason refusal_of(std::string_view principal, const Credential& credential) const;
  /// Whether the session of that id is revoked. The id is hashed.
  bool is_session_revoked(std::string_view id) const;
  /// The names that are blocked for everybody; null for none.
  std::shared_ptr<const BlockedNames> blocked_names() const;

  /// A registration for notices of changes. Its destructor ends it.
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept : watches_(std::exchange(other.watches_, nullptr)) {
      place_ = other.place_;
    }
    Watch& operator=(Watch&&) = delete;
    ~Watch() {
      if (watches_ != nullptr) watches_->erase(place_);
    }

   private:
    friend class RevocationTable;
    using Watches = std::list<std::move_only_function<void()>>;
    Watches* watches_ = nullptr;
    Watches::iterator place_ = {};
  };
  /// Registers `changed`, which each `tell` of that loop calls.
  /// Threads: the loop's; `changed` must not make or end a watch.
  Watch watch(std::size_t loop, std::move_only_function<void()> changed);
  /// Calls all watches of that loop. Threads: the loop's.
  void tell(std::size_t loop);

 private:
  /// The numbers of the revocations in force, by subject.
  using Subjects =
      std::unordered_map<std::string, std::vector<std::int64_t>, TextHash, std::equal_to<>>;
  static constexpr std::size_t kKinds = 7;

  Subjects& subjects(Revocation::Kind kind) { return subjects_[static_cast<std::size_t>(kind)]; }
  const Subjects& subjects(Revocation::Kind kind) const {
    return subjects_[static_cast<std::size_t>(kind)];
  }
  bool has(Revocation::Kind kind, std::string_view subject) const;
  bool has_token(const Credential& credential) const;
  bool remember(const Revocation& revocation);
  void forget(const Revocation& revocation);
  void note_changes(std::span<const Revocation> changed);

  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<std::uint64_t> blocks_version_ = 0;
  mutable std::shared_mutex mutex_;
  std::map<std::int64_t, Revocation> all_;  ///< The mutex guards it and all that follows.
  std::array<Subjects, kKinds> subjects_;
  std::shared_ptr<const BlockedNames> blocked_;
  std::vector<Watch::Watches> watches_;  ///< By loop; each is used on its loop only.
};

/// Whether a table, which may be null, blocks that server for everybody.
bool is_server_blocked(const RevocationTable* table, std::string_view server);
/// Whether a table, which may be null, blocks that tool, or its server.
bool is_tool_blocked(const RevocationTable* table, std::string_view server, std::string_view tool);

}  // namespace bartizan
