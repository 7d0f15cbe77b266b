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

/// What operators revoked and blocked, as every request asks for it: the rows of the state file, in
/// memory.
///
/// Threads: any, but for `watch` and `tell`.
/// Bounded: by `limits::revocations_max`, which the store holds to.
/// Cost:    of a question while nothing is revoked, one atomic load; otherwise a look-up for each
///          kind that has any, and for tokens one SHA-256.
class RevocationTable {
 public:
  using Seconds = std::chrono::sys_seconds;

  /// Input: how many loops watch; see `watch`.
  explicit RevocationTable(std::size_t loops = 0) : watches_(loops) {}

  /// Whether nothing is revoked or blocked.
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  /// Goes up with each change. What was found out before one is to be found out again.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// Goes up with each change of what is blocked for everybody: lists are other ones then.
  std::uint64_t blocks_version() const { return blocks_version_.load(std::memory_order_acquire); }

  /// From now on all of these hold. For the start. Input: as the store answered them.
  void load(const std::vector<Revocation>& held);
  /// From now on it holds. Input: as the store answered it.
  void add(const Revocation& revocation);
  /// From now on that one does not hold; answers it, or nothing where there is none.
  std::optional<Revocation> remove(std::int64_t id);
  /// Forgets those whose time is over, and answers them.
  std::vector<Revocation> drop_ended(Seconds now);

  /// The one with that number, if it holds.
  std::optional<Revocation> find(std::int64_t id) const;
  /// All that hold, by their numbers.
  std::vector<Revocation> all() const;

  /// Why whoever was proved so is not let in: `revoked` or `blocked`; `none` for everybody else.
  Reason refusal_of(std::string_view principal, const Credential& credential) const;
  /// Whether the session of that id is revoked. The id is hashed.
  bool is_session_revoked(std::string_view id) const;
  /// What is blocked for everybody; null for nothing.
  std::shared_ptr<const BlockedNames> blocked_names() const;

  /// As long as this lives, somebody is told of changes.
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
  /// Has `changed` called by each `tell` of that loop.
  /// Threads: the loop's; `changed` may make or end no watch.
  Watch watch(std::size_t loop, std::move_only_function<void()> changed);
  /// Tells everybody who watches on that loop. Threads: the loop's.
  void tell(std::size_t loop);

 private:
  /// The numbers of those that hold of one subject.
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
  std::map<std::int64_t, Revocation> all_;  ///< Under the mutex, as all that follows.
  std::array<Subjects, kKinds> subjects_;
  std::shared_ptr<const BlockedNames> blocked_;
  std::vector<Watch::Watches> watches_;  ///< By loop, each touched on it alone.
};

/// Whether a table, which may be null, blocks that server for everybody.
bool is_server_blocked(const RevocationTable* table, std::string_view server);
/// Whether a table, which may be null, blocks that tool, or its server.
bool is_tool_blocked(const RevocationTable* table, std::string_view server, std::string_view tool);

}  // namespace bartizan
