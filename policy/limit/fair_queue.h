#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bartizan {

/// Names one waiting call; 0 is none.
using Ticket = std::uint64_t;

/// Calls that wait for one thing, in the order in which they will get it: the callers' first calls
/// come first, then their second ones, and so on, so that nobody waits behind another's whole pile.
/// Among equals the one that came first.
///
/// Cost: linear in the queue, which its places bound.
class FairQueue {
 public:
  struct Waiter {
    Ticket ticket = 0;
    std::uint64_t caller = 0;  ///< What stands for the principal.
  };
  /// Whether one caller may fill all places, or no more than it leaves to others.
  enum class Places : std::uint8_t { shared, own };

  /// False where there is no place for it.
  bool enter(Waiter waiter, std::size_t places_max, Places places);
  /// The call goes on: whoever comes from now on counts from its turn.
  void serve(Ticket ticket);
  /// The call does not wait any more.
  void leave(Ticket ticket);

  /// How many are before it; of one that does not wait, all.
  std::size_t ahead(Ticket ticket) const;
  /// The first so many.
  std::vector<Ticket> first(std::size_t count) const;
  bool has(Ticket ticket) const { return ahead(ticket) < waiting_.size(); }
  std::size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    Waiter waiter;
    std::uint64_t turn;
  };

  std::vector<Waiting> waiting_;  ///< By turn, then as they came.
  std::uint64_t served_ = 0;      ///< The latest turn of one that was served.
};

}  // namespace bartizan
