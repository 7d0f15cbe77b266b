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

/// The buckets of all limits, for the whole process, guarded. Wakes calls that wait for a slot.
///
/// Threads: any.
class SharedLimits {
 public:
  using Draws = LimitTable::Draws;
  struct Taken {};
  /// The call waits for that limit, and perhaps others, with that ticket.
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
    FairQueue::Waiter waiter;  ///< No ticket before it waits for the first time.
    bool may_wait;
    /// Woken when the call may try again; null if the call cannot wait.
    const std::shared_ptr<PendingCall>& pending;
  };

  /// Charges the limits of the call, refuses it, or lets it wait for a slot.
  Answer take(const Claim& claim);
  /// The call stops waiting.
  void leave(const LimitSet& set, const Draws& draws, Ticket ticket);
  /// A call ends: its slots are free again, and the bytes of its response are charged.
  void give_back(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes);
  /// Charges further bytes of a call's response.
  void charge(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes);

 private:
  Answer refuse(const Claim& claim, const LimitTable::Refusal& refusal);
  void wake(const std::vector<Ticket>& tickets) const;

  std::mutex mutex_;
  LimitTable table_;
  Ticket last_ticket_ = 0;
  std::unordered_map<Ticket, std::shared_ptr<PendingCall>> waiting_;
};

/// The limits of a call, held after its response. The slots are free when this ends, or before.
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

  /// Charges the bytes of one of its responses, even after the slots are free.
  void charge(std::uint64_t bytes);
  void give_back();

 private:
  SharedLimits* guard_ = nullptr;  ///< Null where nothing was taken.
  std::shared_ptr<const Policy> policy_;
  SharedLimits::Draws draws_;
  bool is_free_ = false;  ///< The slots are.
};

}  // namespace bartizan
