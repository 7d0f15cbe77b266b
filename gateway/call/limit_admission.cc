#include "gateway/call/limit_admission.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

SharedLimits::Draws draws_of(const CallFrame& frame) {
  // What the gateway repeats was charged when the client asked for it.
  if (!frame.inbound.only_server.empty()) return {};
  return frame.policy().limits().draws(frame.call, {.session = frame.inbound.session_id,
                                                    .address = address_of(frame.inbound.source)});
}

void count_wait(const CallFrame& frame, std::string_view limit, std::string_view result) {
  frame.worker.loop.metrics().add(Metric::limit_waits,
                                  std::array<std::string_view, 2>{limit, result});
}

}  // namespace

LimitAdmission::~LimitAdmission() {
  if (state_ == State::waiting) {
    count_wait(frame_, limit_, "gave_up");
    leave();
  }
  if (state_ != State::taken) return;
  capture_end(frame_);
  const auto bytes =
      std::max<std::uint64_t>(frame_.findings.bytes_relayed, frame_.findings.bytes_out);
  const bool begins_task = frame_.method() == MethodId::tools_call && frame_.task.task != nullptr;
  if (begins_task) {
    HeldSlots slots(frame_.worker.gateway.limits, policy_, std::move(draws_));
    slots.charge(bytes);
    frame_.task.task->hold(std::move(slots));
    return;
  }
  frame_.worker.gateway.limits.give_back(policy_->limits(), draws_, bytes);
}

void LimitAdmission::leave() {
  frame_.worker.gateway.limits.leave(policy_->limits(), draws_, ticket_);
  state_ = State::outside;
}

void LimitAdmission::follow_policy() {
  if (policy_ == frame_.inbound.snapshot->policy) return;
  if (state_ == State::waiting) leave();
  policy_ = frame_.inbound.snapshot->policy;
  draws_ = draws_of(frame_);
}

SharedLimits::Answer LimitAdmission::take(bool may_wait) {
  follow_policy();
  SharedLimits& guard = frame_.worker.gateway.limits;
  const bool is_late = deadline_ && steady_now() >= *deadline_;
  const LimitSet& set = policy_->limits();
  const auto answer = guard.take(
      {.set = set,
       .draws = draws_,
       .weight = {.cost = policy_->cost(frame_.call), .bytes = frame_.inbound.bytes},
       .waiter = {.ticket = ticket_, .caller = std::hash<std::string>()(frame_.principal().id)},
       .may_wait = may_wait && !is_late,
       .pending = frame_.pending});
  if (const auto* waits = std::get_if<SharedLimits::Waits>(&answer)) {
    begin_waiting(*waits);
    return answer;
  }
  const bool is_taken = std::holds_alternative<SharedLimits::Taken>(answer);
  if (deadline_) {
    count_wait(frame_, limit_, is_taken ? "taken" : is_late ? "late" : "refused");
  }
  deadline_.reset();
  state_ = is_taken ? State::taken : State::outside;
  return answer;
}

/// It waits no longer than any of the limits that may have it wait lets it.
void LimitAdmission::begin_waiting(const SharedLimits::Waits& waits) {
  state_ = State::waiting;
  ticket_ = waits.ticket;
  limit_ = policy_->limits().limits()[waits.limit].name;
  if (deadline_) return;
  auto longest = std::chrono::milliseconds::max();
  for (const LimitSet::Draw& draw : draws_) {
    const LimitConfig& limit = policy_->limits().limits()[draw.limit];
    if (limit.queue > 0) longest = std::min(longest, limit.queue_timeout);
  }
  deadline_ = steady_now() + longest;
}

Task<void> LimitAdmission::wait() {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - steady_now());
  co_await frame_.pending->woken(std::max(left, std::chrono::milliseconds(1)));
}

}  // namespace bartizan
