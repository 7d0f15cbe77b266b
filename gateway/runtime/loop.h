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

/// The event loop of one worker and what belongs to it alone: timer wheel, free parsers, metric
/// shard.
///
/// It goes in turns: all that the poller found ready, now and then handlers of Asio's; behind each
/// of these what they asked to be run in the same turn, sixteen rounds of it at most before others
/// are looked at; and at the end what is done once for the whole turn.
///
/// The time of its wheel, and so of all deadlines, is what the thread that runs it was lent
/// (`clock.h`). Short pauses of Asio's timers are the machine's.
///
/// Threads: everything but `post`, `index` and `executor` is the worker's own thread's.
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

  /// Room for one read of a socket: what came is copied from it at once, so that thousands that
  /// wait, and the many that get little, own no buffer.
  std::span<char> read_room() { return read_room_; }

  /// Runs until `stop`.
  void run();
  void stop() { io_.stop(); }

  /// Runs `work` in this turn: behind what runs now and what asked for it earlier, and before the
  /// loop looks for what has become ready meanwhile, which would be a system call.
  void run_in_turn(std::move_only_function<void()> work);
  void run_in_turn(Wakeup wakeup);
  /// Runs `work` when all that is ready in this turn has been taken.
  void run_at_end_of_turn(std::move_only_function<void()> work);
  void run_at_end_of_turn(Wakeup wakeup);

  /// A parser, to be given back when no view into it remains. One that is lost is only freed.
  std::unique_ptr<JsonDocument> lease_document();
  void give_back(std::unique_ptr<JsonDocument> document);

  /// Runs `work` on this loop: at once when called on it, through its mailbox otherwise. False
  /// when the mailbox is full; the caller then answers `overloaded`.
  template <std::invocable Function>
  bool post(Function work) {
    if (!is_current()) return send(std::move(work));
    work();
    return true;
  }
  /// Runs `work`, the answer to work that was posted, on this loop: at once when called on it,
  /// through its mailbox otherwise. Never refused, since as many answers are on their way as there
  /// are calls in progress, which are bounded elsewhere.
  template <std::invocable Function>
  void post_answer(Function work) {
    if (!is_current()) return send_answer(std::move(work));
    work();
  }
  bool is_current() const { return std::this_thread::get_id() == thread_.load(kRelaxed); }

 private:
  /// A coroutine that goes on, as nearly always, or anything else.
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
  /// A parser that nobody uses, and what it held when it was given back.
  struct FreeDocument {
    std::unique_ptr<JsonDocument> document;
    std::size_t bytes;
  };
  std::vector<FreeDocument> documents_;
  std::size_t documents_bytes_ = 0;  ///< What they hold.
  std::vector<char> read_room_ = std::vector<char>(kReadRoom);
  std::atomic<std::size_t> mailbox_ = 0;
  std::atomic<std::thread::id> thread_;  ///< That runs it; none outside `run`.
  Work turn_;                            ///< What this turn still has to run.
  Work at_end_;                          ///< What it has to run at its end.
  Work running_;
  int turns_without_look_ = 0;  ///< At what Asio has.
  int vain_looks_ = 0;          ///< At sockets, each of which was followed by a wait.
  bool has_waited_ = false;     ///< Since it last looked at sockets.
  bool is_ending_ = false;
  Poller poller_{io_};
  // INVARIANT: destroyed first, since the frames it still holds refer to what stands above.
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> work_;
};

/// Awaits what a function answers on another loop.
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

/// Awaits a later place in this turn, the one that `kAsk` asks for.
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

/// Awaits the next round of this turn: goes on behind all that is ready now.
///
/// A call ends each of its steps so (reading, judging, recording, sending). Calls that are handled
/// at once then take a step one after the other, and its code, the kernel's too, is fetched into
/// the processor's cache once for all of them. Whatever may happen between two turns may happen
/// meanwhile.
inline auto yield_batch(Loop& loop) {
  return LaterInTurn<&Loop::run_in_turn>(loop);
}

/// Awaits the end of this turn, or, of who goes on there, that of the next: what takes long does a
/// part of it in each, and sockets are looked at in between.
inline auto yield_turn(Loop& loop) {
  return LaterInTurn<&Loop::run_at_end_of_turn>(loop);
}

/// Runs a task on another loop, and returns on this one at its end.
Task<void> run_on(Loop& asking, Loop& asked, Task<void> task);

/// Starts a coroutine of its own on `loop`: at once, until it waits for the first time, when called
/// on it; in a turn to come otherwise. One that is left suspended when the loop is destroyed is
/// destroyed with it.
void spawn(Loop& loop, Task<void> task);

}  // namespace bartizan
