#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policy/limit/fair_queue.h"
#include "policy/limit/limit_set.h"

namespace bartizan {

/// The buckets themselves: state as a value, time as an argument. Integers only, so that nothing
/// drifts. Bounded: at its capacity it forgets a bucket that is full again and in no use; where it
/// finds none within `kEvictionStepsMax` steps, it refuses. One caller has no more of it than its
/// share, so that nobody who calls with ever new arguments takes the room of others: beyond, a
/// bucket of its own is forgotten, or it is refused.
///
/// Threads: one at a time; the gateway guards it.
/// Cost:    about 50 ns a draw.
class LimitTable {
 public:
  static constexpr std::size_t kEvictionStepsMax = 1024;

  /// How many buckets there may be, and how many that one caller has made.
  struct Room {
    std::size_t buckets = 65'536;
    std::size_t of_one_caller = 8'192;
  };

  LimitTable();
  explicit LimitTable(Room room);
  ~LimitTable();
  LimitTable(LimitTable&&) noexcept;
  LimitTable& operator=(LimitTable&&) noexcept;

  using Time = std::chrono::nanoseconds;  ///< Of a monotonic clock.

  /// What a limit has none of: room in a window, a slot, a call that is no loop, or a bucket.
  enum class Lack : std::uint8_t { room, slot, progress, bucket };
  struct Refusal {
    std::uint32_t limit;  ///< The first limit without room, those last that calls may wait for.
    /// When that limit has room again if nobody else draws; a second where only slots are taken,
    /// a day at most.
    std::chrono::milliseconds retry_after;
    Lack lack = Lack::room;
  };
  using Draws = std::vector<LimitSet::Draw>;
  /// Takes from every bucket what the call weighs, or from none. Where a limit has `concurrency`, a
  /// slot is taken too, which `give_back` returns: one that no call waits for which is before this
  /// one. `waiter` has a ticket where the call waits; once it has taken, it does not any more.
  std::optional<Refusal> take(const LimitSet& set, const Draws& draws, const CallWeight& weight,
                              Time now, FairQueue::Waiter waiter = {});
  /// Has a call wait for the first slot that it lacks, and for no other, so that none waits for one
  /// that waits for it; the limit that has no place for it, or nothing. Others may be nearer now.
  /// Input: one that `take` has just refused for lack of a slot.
  std::optional<std::uint32_t> wait(const LimitSet& set, const Draws& draws,
                                    FairQueue::Waiter waiter);
  void leave(const Draws& draws, Ticket ticket);
  /// The calls whose turn it may be now, after a slot or a place in a queue became free: each is to
  /// `take` again.
  std::vector<Ticket> next(const LimitSet& set, const Draws& draws) const;
  /// The call's answers had so many bytes. They are there already, so a window may come to owe:
  /// until it has earned them, it refuses.
  void charge_bytes(const LimitSet& set, const Draws& draws, std::uint64_t bytes, Time now);
  void give_back(const LimitSet& set, const Draws& draws);
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bartizan
