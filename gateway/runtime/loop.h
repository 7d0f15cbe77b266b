#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "audit/metrics.h"
#include "gateway/runtime/asio.h"
#include "gateway/runtime/readiness.h"
#include "gateway/runtime/timer_wheel.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The event loop of one worker, with the worker's own parts: timer wheel, free parsers, metric
/// shard.
///
/// It runs in turns. A turn handles all sockets that the poller found ready, and now and then
/// handlers of Asio. After each of these it runs the work requested for the same turn, at most
/// sixteen rounds before it looks at others. At its end it does the work that is needed once per
/// turn.
///
/// The time of its wheel, and so of all deadlines, is the lent time of the thread that runs it
/// (`clock.h`). Short pauses by Asio's timers use the machine's time.
///
/// Threads: only the worker's own, except for `post`, `index` and `executor`.
class Loop {
 public:
  explicit Loop(std::uint16_t index);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  std::uint16_t index() const { return index_; }
  Executor executor() { return io_.get_executor(); }
  asio::io_context& io() { return io_; }
  TimerWheel& wheel() { return wheel_; }
  Poller& poller() { return poller_; }
  MetricShard& metrics() { return metrics_; }

  /// The buffer for one read of a socket. The bytes are copied from it at once. So thousands of
  /// waiting or mostly idle sockets own no buffer.
  std::span<char> read_room() { return read_room_; }

  /// Runs until `stop`.
  void run();
  void stop() { io_.stop(); }

  /// Runs `work` in this turn: after the running work and earlier requests, and before the loop
  /// looks for newly ready sockets, which costs a system call.
  void run_in_turn(std::move_only_function<void()> work);
  void run_in_turn(Wakeup wakeup);
  /// Runs `work` after all ready work of this turn.
  void run_at_end_of_turn(std::move_only_function<void()> work);
  void run_at_end_of_turn(Wakeup wakeup);

  /// A parser. It is given back when no view into it remains. A lost one is only freed.
  std::unique_ptr<JsonDocument> lease_document();
  void give_back(std::unique_ptr<JsonDocument> document);

  /// Runs `work` on this loop: at once if called on it, otherwise through its mailbox. False if the
  /// mailbox is full; the caller then answers `overloaded`.
  template <std::invocable Function>
  bool post(Function work) {
    if (!is_current()) return send(std::move(work));
    work();
    return true;
  }
  /// Runs `work`, the answer to posted work, on this loop: at once if called on it, otherwise
  /// through its mailbox. Never refused: there are at most as many answers as calls in progress,
  /// which are bounded elsewhere.
  template <std::invocable Function>
  void post_answer(Function work) {
    if (!is_current()) return send_answer(std::move(work));
    work();
  }
  bool is_current() const { return std::this_thread::get_id() == thread_.load(kRelaxed); }

 private:
  /// Nearly always a coroutine to resume, rarely a function.
  using Asked = std::variant<Wakeup, std::move_only_function<void()>>;
  using Work = std::vector<Asked>;
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static constexpr std::size_t kReadRoom = std::size_t{64} << 10;

  Task<void> tick();
  bool look_at_sockets();
  void wait();
  void look_at_asio(bool has_work);
  template <class Function>
  void ask(Work& place, Function work);
  void run_all(Work& asked);
  void run_rounds();
  void end_turn();
  bool send(std::move_only_function<void()> work);
  void send_answer(std::move_only_function<void()> work);

  std::uint16_t index_;
  TimerWheel wheel_;
  MetricShard metrics_;
  /// A free parser, and its size when it was given back.
  struct FreeDocument {
    std::unique_ptr<JsonDocument> document;
    std::size_t bytes;
  };
  std::vector<FreeDocument> documents_;
  std::size_t documents_bytes_ = 0;  ///< Of the free parsers.
  std::vector<char> read_room_ = std::vector<char>(kReadRoom);
  std::atomic<std::size_t> mailbox_ = 0;
  std::atomic<std::thread::id> thread_;  ///< The thread that runs it; none outside `run`.
  Work turn_;                            ///< The work left for this turn.
  Work at_end_;                          ///< The work for the end of this turn.
  Work running_;
  int turns_without_look_ = 0;  ///< At Asio's handlers.
  int vain_looks_ = 0;          ///< Looks at sockets that were followed by a wait.
  bool has_waited_ = false;     ///< Since it last looked at sockets.
  bool is_ending_ = false;
  Poller poller_{io_};
  // INVARIANT: destroyed first, since the frames that it still holds refer to the members above.
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> work_;
};

/// Runs a function on another loop and awaits its result.
///
/// Threads: awaited on `asking`; the function runs on `asked`.
template <class Function>
class Visit {
 public:
  Visit(Loop& asking, Loop& asked, Function function)
      : asking_(asking), asked_(asked), function_(std::move(function)) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    asked_.post_answer([this, wakeup = Wakeup(awaiting)]() mutable {
      answer_.emplace(function_());
      asio::post(asking_.io(), std::move(wakeup));
    });
  }
  auto await_resume() { return std::move(*answer_); }

 private:
  Loop& asking_;
  Loop& asked_;
  Function function_;
  std::optional<std::invoke_result_t<Function>> answer_;
};

/// Awaits a later place in this turn, requested by `kAsk`.
/// Cost: a place in the loop's turn.
template <void (Loop::*kAsk)(Wakeup)>
class [[nodiscard]] LaterInTurn {
 public:
  explicit LaterInTurn(Loop& loop) : loop_(loop) {}

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    (loop_.*kAsk)(Wakeup(awaiting));
  }
  void await_resume() const noexcept {}

 private:
  Loop& loop_;
};

/// Awaits the next round of this turn: continues after all work that is ready now.
///
/// A call ends each of its steps with it (reading, judging, recording, sending). Concurrent calls
/// then take each step one after the other. The code of a step, the kernel's too, is fetched into
/// the processor's cache once for all of them. Anything that may happen between two turns may also
/// happen here.
inline auto yield_batch(Loop& loop) {
  return LaterInTurn<&Loop::run_in_turn>(loop);
}

/// Awaits the end of this turn; at the end of a turn, that of the next. Long work does a part of
/// itself in each turn, and sockets are looked at in between.
inline auto yield_turn(Loop& loop) {
  return LaterInTurn<&Loop::run_at_end_of_turn>(loop);
}

/// Runs a task on another loop, and returns on this one at its end.
Task<void> run_on(Loop& asking, Loop& asked, Task<void> task);

/// Starts an independent coroutine on `loop`. If called on that loop, it runs at once until its
/// first wait; otherwise it starts in a later turn. A coroutine that is suspended when the loop is
/// destroyed is destroyed with it.
void spawn(Loop& loop, Task<void> task);

}  // namespace bartizan
