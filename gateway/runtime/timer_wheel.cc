#include "gateway/runtime/timer_wheel.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

void Deadline::arm(std::uint64_t ticks) {
  cancel();
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - wheel_->now();
  due_ = wheel_->now() + std::min(std::max<std::uint64_t>(ticks, 1), room);
  wheel_->link(*this);
}

void Deadline::arm(std::chrono::milliseconds wait) {
  const auto tick = std::chrono::milliseconds(limits::timer_tick).count();
  const auto wanted = std::max<std::chrono::milliseconds::rep>(wait.count(), 0);
  // One more than the wait covers: the present tick has partly passed.
  const auto ticks = wanted / tick + (wanted % tick != 0 ? 1 : 0) + 1;
  arm(static_cast<std::uint64_t>(ticks));
}

void Deadline::cancel() {
  if (is_armed()) wheel_->unlink(*this);
}

TimerWheel::TimerWheel() {
  for (Deadline::Links& slot : slots_)
    slot.previous = slot.next = &slot;
}

TimerWheel::~TimerWheel() {
  for (Deadline::Links& slot : slots_) {
    for (Deadline::Links* links = slot.next; links != &slot;) {
      links = std::exchange(*links, {}).next;
    }
  }
}

void TimerWheel::link(Deadline& deadline) {
  Deadline::Links& slot = slots_[deadline.due_ % kSlots];
  Deadline::Links& links = deadline.links_;
  links.owner = &deadline;
  links.previous = slot.previous;
  links.next = &slot;
  slot.previous->next = &links;
  slot.previous = &links;
  ++armed_;
}

void TimerWheel::unlink(Deadline& deadline) {
  Deadline::Links& links = deadline.links_;
  links.previous->next = links.next;
  links.next->previous = links.previous;
  links = {};
  --armed_;
}

void TimerWheel::advance(std::uint64_t now) {
  if (now <= now_) return;
  // Each slot once is enough, however far the jump: every deadline lies in one of them.
  const std::uint64_t passed = std::min<std::uint64_t>(now - now_, kSlots);
  const std::uint64_t first = now - passed + 1;
  // Set before the callbacks, so that what they arm is due later than this call looks.
  now_ = now;
  for (std::uint64_t i = 0; i < passed; ++i)
    visit(slots_[(first + i) % kSlots]);
}

// The slot's list moves to a local one, which callbacks may change at will: what is cancelled
// unlinks itself from either, and what is armed anew goes to a slot.
void TimerWheel::visit(Deadline::Links& slot) {
  if (slot.next == &slot) return;
  Deadline::Links waiting;
  waiting.next = slot.next;
  waiting.previous = slot.previous;
  waiting.next->previous = waiting.previous->next = &waiting;
  slot.previous = slot.next = &slot;
  while (waiting.next != &waiting) {
    Deadline& deadline = *waiting.next->owner;
    unlink(deadline);
    if (deadline.due_ > now_) {
      link(deadline);
      continue;
    }
    // The callback may destroy the deadline, so nothing of it is used after.
    const Deadline::Callback callback = deadline.callback_;
    callback(deadline.context_);
  }
}

}  // namespace bartizan
