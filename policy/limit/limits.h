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

/// The buckets of all limits: state as a value, time as an argument. It uses integers only, so that
/// levels do not drift.
///
/// Bounded: at its capacity it forgets a bucket that is full again and not in use. If it finds none
///          within `kEvictionStepsMax` steps, it refuses the call. One caller has at most its share
///          of the buckets, so that ever new arguments do not take the room of others. Beyond its
///          share, one of its own buckets is forgotten, or it is refused.
///
/// Threads: one at a time; the gateway guards it.
/// Cost:    about 50 ns a draw.
class LimitTable {
 public:
  static constexpr std::size_t kEvictionStepsMax = 1024;

  /// The most buckets, and the most of one caller.
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

  /// The resource that a limit lacks: room in a window, a slot, progress (the call closes a loop),
  /// or a bucket.
  enum class Lack : std::uint8_t { room, slot, progress, bucket };
  struct Refusal {
    std::uint32_t limit;  ///< The first limit without room. Limits whose calls may wait come last.
    /// The time until that limit has room again if no other call draws. A second if only slots are
    /// taken; a day at most.
    std::chrono::milliseconds retry_after;
    Lack lack = Lack::room;
  };
  using Draws = std::vector<LimitSet::Draw>;
  /// Takes the weight of the call from every bucket, or from none. A limit with `concurrency` also
  /// gives a slot, which `give_back` returns. Slots for which earlier calls wait are not given. A
  /// waiting call has its ticket in `waiter`, and leaves the queue when it has taken.
  std::optional<Refusal> take(const LimitSet& set, const Draws& draws, const CallWeight& weight,
                              Time now, FairQueue::Waiter waiter = {});
  /// Makes a call wait for the first slot that it lacks, and for no other. Two calls thus never
  /// wait for each other. Returns the limit that has no place for it, or nothing. Other calls may
  /// now be nearer to their turn.
  /// Input: a call that `take` has just refused for lack of a slot.
  std::optional<std::uint32_t> wait(const LimitSet& set, const Draws& draws,
                                    FairQueue::Waiter waiter);
  void leave(const Draws& draws, Ticket ticket);
  /// The calls whose turn may have come, after a slot or a place in a queue became free. Each must
  /// `take` again.
  std::vector<Ticket> next(const LimitSet& set, const Draws& draws) const;
  /// Charges the bytes of a call's answers. The bytes were sent already, so a window may become
  /// negative. It refuses calls until it has refilled.
  void charge_bytes(const LimitSet& set, const Draws& draws, std::uint64_t bytes, Time now);
  void give_back(const LimitSet& set, const Draws& draws);
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bartizan
