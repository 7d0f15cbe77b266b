#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/message/pending_call.h"
#include "policy/limit/limits.h"

namespace bartizan {

class Policy;

/// The limits' buckets, guarded: they hold for the whole process. Wakes calls that wait for a slot.
///
/// Threads: any.
class SharedLimits {
 public:
  using Draws = LimitTable::Draws;
  struct Taken {};
  /// The call waits, for that limit among others, under that ticket.
  struct Waits {
    std::uint32_t limit;
    Ticket ticket;
  };
  using Answer = std::variant<Taken, LimitTable::Refusal, Waits>;

  /// One call at the limits.
  /// Lifetime: that of what it was made of.
  struct Claim {
    const LimitSet& set;
    const Draws& draws;
    CallWeight weight;
    FairQueue::Waiter waiter;  ///< Without a ticket, before it waits for the first time.
    bool may_wait;
    /// Is woken when the call may try again; null where nobody could be.
    const std::shared_ptr<PendingCall>& pending;
  };

  /// Takes what the call needs, refuses it, or has it wait for a slot.
  Answer take(const Claim& claim);
  /// The call waits no more.
  void leave(const LimitSet& set, const Draws& draws, Ticket ticket);
  /// A call ends: its slots are free again, and it has been answered with so many bytes.
  void give_back(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes);
  /// A call has been answered with so many bytes more.
  void charge(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes);

 private:
  Answer refuse(const Claim& claim, const LimitTable::Refusal& refusal);
  void wake(const std::vector<Ticket>& tickets) const;

  std::mutex mutex_;
  LimitTable table_;
  Ticket last_ticket_ = 0;
  std::unordered_map<Ticket, std::shared_ptr<PendingCall>> waiting_;
};

/// What a call took from the limits, kept beyond its answer: slots are free when this ends, or
/// before.
///
/// Threads: any, one at a time.
class HeldSlots {
 public:
  HeldSlots() = default;
  /// Input: what `SharedLimits::take` took, by that policy; all three outlive this.
  HeldSlots(SharedLimits& guard, std::shared_ptr<const Policy> policy, SharedLimits::Draws draws)
      : guard_(&guard), policy_(std::move(policy)), draws_(std::move(draws)) {}
  HeldSlots(HeldSlots&& other) noexcept;
  HeldSlots& operator=(HeldSlots&& other) noexcept;
  ~HeldSlots() { give_back(); }

  /// The bytes of one of its answers are charged, also once the slots are free.
  void charge(std::uint64_t bytes);
  void give_back();

 private:
  SharedLimits* guard_ = nullptr;  ///< Null where nothing was taken.
  std::shared_ptr<const Policy> policy_;
  SharedLimits::Draws draws_;
  bool is_free_ = false;  ///< The slots are.
};

}  // namespace bartizan
