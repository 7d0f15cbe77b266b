#include "gateway/runtime/slices.h"

#include <algorithm>
#include <utility>

namespace bartizan {

Slices::Wait Slices::spend(std::uint64_t caller, std::size_t units) {
  if (units_per_turn_ == kUnbounded) return {*this, caller, true};
  left_ -= std::min(left_, units);
  look_again();
  return {*this, caller, left_ > 0 && order_.empty()};
}

void Slices::look_again() {
  if (std::exchange(looks_again_, true)) return;
  loop_.run_at_end_of_turn([this] { begin_turn(); });
}

/// The next turn begins: those who wait go on one after the other, until they have used it up.
void Slices::begin_turn() {
  looks_again_ = false;
  left_ = units_per_turn_;
  while (left_ > 0 && !order_.empty()) {
    const Ticket ticket = order_.first(1).front();
    order_.serve(ticket);
    auto next = waiting_.extract(ticket);
    next.mapped()();
  }
  if (!order_.empty()) look_again();
}

void Slices::add(std::uint64_t caller, Wakeup wakeup) {
  order_.enter({.ticket = ++newest_, .caller = caller}, kUnbounded, FairQueue::Places::own);
  waiting_.emplace(newest_, std::move(wakeup));
}

}  // namespace bartizan
