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

/// Long work on one loop, in slices. Together, all long work gets a number of units in each turn.
/// So other ready work waits for one slice and not for the whole. Waiting callers get slices in
/// turn.
///
/// Threads:  the loop's.
/// Lifetime: ends before the loop. Waiting coroutines are then destroyed. Bounded by the work in
///           progress.
/// Cost:     only a count for work that fits a turn.
class Slices {
 public:
  class Wait;

  /// Bytes of listed entries in one turn: less than a millisecond.
  static constexpr std::size_t kUnitsPerTurn = std::size_t{32} << 10;
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  /// With `kUnbounded`, nothing ever waits.
  explicit Slices(Loop& loop, std::size_t units_per_turn = kUnitsPerTurn)
      : loop_(loop), units_per_turn_(units_per_turn), left_(units_per_turn) {}
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;

  /// Counts `units` of finished work for that caller. When awaited, it continues when there is time
  /// for more: at once, or in a later turn.
  Wait spend(std::uint64_t caller, std::size_t units);
  /// The number of coroutines that wait for their next slice.
  std::size_t waiting() const { return order_.size(); }

 private:
  void look_again();
  void begin_turn();
  void add(std::uint64_t caller, Wakeup wakeup);

  Loop& loop_;
  const std::size_t units_per_turn_;
  std::size_t left_;          ///< In this turn.
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
