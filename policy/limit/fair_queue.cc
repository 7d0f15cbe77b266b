#include "policy/limit/fair_queue.h"

#include <algorithm>

namespace bartizan {

bool FairQueue::enter(Waiter waiter, std::size_t places_max, Places places) {
  std::size_t own = 0;
  std::uint64_t turn = served_ + 1;
  for (const Waiting& other : waiting_) {
    if (other.waiter.caller != waiter.caller) continue;
    ++own;
    turn = std::max(turn, other.turn + 1);
  }
  if (waiting_.size() >= places_max) return false;
  // A caller in the queue leaves as many places free as it has, so that a new caller finds one.
  if (places == Places::shared && own > 0 && own >= places_max - waiting_.size()) return false;
  const auto behind = std::ranges::upper_bound(waiting_, turn, {}, &Waiting::turn);
  waiting_.insert(behind, {waiter, turn});
  return true;
}

void FairQueue::serve(Ticket ticket) {
  const std::size_t place = ahead(ticket);
  if (place < waiting_.size()) served_ = std::max(served_, waiting_[place].turn);
  leave(ticket);
}

void FairQueue::leave(Ticket ticket) {
  std::erase_if(waiting_, [ticket](const Waiting& one) { return one.waiter.ticket == ticket; });
}

std::size_t FairQueue::ahead(Ticket ticket) const {
  const auto found = std::ranges::find_if(
      waiting_, [ticket](const Waiting& one) { return one.waiter.ticket == ticket; });
  return static_cast<std::size_t>(found - waiting_.begin());
}

std::vector<Ticket> FairQueue::first(std::size_t count) const {
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < std::min(count, waiting_.size()); ++i)
    tickets.push_back(waiting_[i].waiter.ticket);
  return tickets;
}

}  // namespace bartizan
