#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "policy/limit/fair_queue.h"

namespace bartizan {

/// Long work on one loop, in slices: all of it together gets so many units of each turn, so that
/// whatever else is ready waits for one slice and not for a whole. Where several wait for their
/// next slice, each caller gets one in turn.
///
/// Threads:  the loop's.
/// Lifetime: ends before the loop. Who waits then is destroyed. Bounded by the work in progress.
/// Cost:     nothing but a count for work that fits a turn.
class Slices {
 public:
  class Wait;

  /// Bytes of listed entries, for one turn: less than a millisecond.
  static constexpr std::size_t kUnitsPerTurn = std::size_t{32} << 10;
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  /// With `kUnbounded`, nothing ever waits.
  explicit Slices(Loop& loop, std::size_t units_per_turn = kUnitsPerTurn)
      : loop_(loop), units_per_turn_(units_per_turn), left_(units_per_turn) {}
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;

  /// Counts `units` of work that was done for that caller. Awaited, it goes on when there is time
  /// for more: at once, or in a later turn.
  Wait spend(std::uint64_t caller, std::size_t units);
  /// How many wait for their next slice.
  std::size_t waiting() const { return order_.size(); }

 private:
  void look_again();
  void begin_turn();
  void add(std::uint64_t caller, Wakeup wakeup);

  Loop& loop_;
  const std::size_t units_per_turn_;
  std::size_t left_;          ///< Of this turn.
  bool looks_again_ = false;  ///< At the end of this turn.
  Ticket newest_ = 0;
  FairQueue order_;
  std::map<Ticket, Wakeup> waiting_;
};

/// One wait for the next slice, to be awaited at once.
class [[nodiscard]] Slices::Wait {
 public:
  Wait(Slices& slices, std::uint64_t caller, bool goes_on)
      : slices_(slices), caller_(caller), goes_on_(goes_on) {}

  bool await_ready() const noexcept { return goes_on_; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    slices_.add(caller_, Wakeup(awaiting));
  }
  void await_resume() const noexcept {}

 private:
  Slices& slices_;
  std::uint64_t caller_;
  bool goes_on_;
};

}  // namespace bartizan
