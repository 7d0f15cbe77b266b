#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bartizan {

/// The ticket of one waiting call; 0 is none.
using Ticket = std::uint64_t;

/// Calls that wait for one resource, in the order in which they get it. First calls of all callers
/// come first, then second calls, and so on. No caller waits for the whole queue of another. Among
/// equals, the earliest comes first.
///
/// Cost: linear in the queue, whose places are bounded.
class FairQueue {
 public:
  struct Waiter {
    Ticket ticket = 0;
    std::uint64_t caller = 0;  ///< Stands for the principal.
  };
  /// Whether one caller may fill all places (`own`), or must leave as many places as it has
  /// (`shared`).
  enum class Places : std::uint8_t { shared, own };

  /// False if there is no place for it.
  bool enter(Waiter waiter, std::size_t places_max, Places places);
  /// The call leaves the queue and goes on. Later calls count from its turn.
  void serve(Ticket ticket);
  /// The call leaves the queue.
  void leave(Ticket ticket);

  /// The number of calls before it; all if it does not wait.
  std::size_t ahead(Ticket ticket) const;
  /// The first `count` tickets.
  std::vector<Ticket> first(std::size_t count) const;
  bool has(Ticket ticket) const { return ahead(ticket) < waiting_.size(); }
  std::size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }

 private:
  struct Waiting {
    Waiter waiter;
    std::uint64_t turn;
  };

  std::vector<Waiting> waiting_;  ///< By turn, then by arrival.
  std::uint64_t served_ = 0;      ///< The latest turn that was served.
};

}  // namespace bartizan
