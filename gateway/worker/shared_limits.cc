#include "gateway/worker/shared_limits.h"

#include <chrono>
#include <utility>

#include "gateway/runtime/clock.h"
#include "policy/check/compile_policy.h"

namespace bartizan {
namespace {

/// Not by the time of the turn: a capture is replayed by the times between which it was asked.
LimitTable::Time now() {
  return steady_now().time_since_epoch();
}

}  // namespace

SharedLimits::Answer SharedLimits::take(const Claim& claim) {
  if (claim.draws.empty()) return Taken{};
  const auto time = now();
  const std::lock_guard lock(mutex_);
  const auto refusal = table_.take(claim.set, claim.draws, claim.weight, time, claim.waiter);
  if (!refusal) {
    waiting_.erase(claim.waiter.ticket);
    return Taken{};
  }
  const bool has_queue = claim.set.limits()[refusal->limit].queue > 0;
  const bool may_wait = refusal->lack == LimitTable::Lack::slot && has_queue && claim.may_wait &&
                        claim.pending != nullptr;
  if (!may_wait) return refuse(claim, *refusal);
  FairQueue::Waiter waiter = claim.waiter;
  if (waiter.ticket == 0) waiter.ticket = ++last_ticket_;
  if (const auto full = table_.wait(claim.set, claim.draws, waiter)) {
    return refuse(claim, {*full, refusal->retry_after, refusal->lack});
  }
  waiting_.insert_or_assign(waiter.ticket, claim.pending);
  // It may have left the queue in which it waited until now.
  if (claim.waiter.ticket != 0) wake(table_.next(claim.set, claim.draws));
  return Waits{refusal->limit, waiter.ticket};
}

/// Who is refused leaves every queue, in which others are then nearer to their turn.
SharedLimits::Answer SharedLimits::refuse(const Claim& claim, const LimitTable::Refusal& refusal) {
  if (waiting_.erase(claim.waiter.ticket) > 0) {
    table_.leave(claim.draws, claim.waiter.ticket);
    wake(table_.next(claim.set, claim.draws));
  }
  return refusal;
}

void SharedLimits::leave(const LimitSet& set, const Draws& draws, Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (waiting_.erase(ticket) == 0) return;
  table_.leave(draws, ticket);
  wake(table_.next(set, draws));
}

void SharedLimits::give_back(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes) {
  if (draws.empty()) return;
  const auto time = now();
  const std::lock_guard lock(mutex_);
  table_.charge_bytes(set, draws, answer_bytes, time);
  table_.give_back(set, draws);
  if (!waiting_.empty()) wake(table_.next(set, draws));
}

void SharedLimits::charge(const LimitSet& set, const Draws& draws, std::uint64_t answer_bytes) {
  if (draws.empty()) return;
  const auto time = now();
  const std::lock_guard lock(mutex_);
  table_.charge_bytes(set, draws, answer_bytes, time);
}

HeldSlots::HeldSlots(HeldSlots&& other) noexcept
    : guard_(std::exchange(other.guard_, nullptr)),
      policy_(std::move(other.policy_)),
      draws_(std::move(other.draws_)),
      is_free_(other.is_free_) {}

HeldSlots& HeldSlots::operator=(HeldSlots&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  guard_ = std::exchange(other.guard_, nullptr);
  policy_ = std::move(other.policy_);
  draws_ = std::move(other.draws_);
  is_free_ = other.is_free_;
  return *this;
}

void HeldSlots::charge(std::uint64_t bytes) {
  if (guard_ != nullptr) guard_->charge(policy_->limits(), draws_, bytes);
}

void HeldSlots::give_back() {
  if (guard_ == nullptr || std::exchange(is_free_, true)) return;
  guard_->give_back(policy_->limits(), draws_, 0);
}

void SharedLimits::wake(const std::vector<Ticket>& tickets) const {
  for (const Ticket ticket : tickets) {
    const auto found = waiting_.find(ticket);
    if (found != waiting_.end()) found->second->wake();
  }
}

}  // namespace bartizan
