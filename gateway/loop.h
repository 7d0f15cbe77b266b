#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "audit/metrics.h"
#include "gateway/asio.h"
#include "gateway/timer_wheel.h"
#include "schemas/json.h"

namespace bartizan {

/// The event loop of one worker and what belongs to it alone: timer wheel, free parsers, metric
/// shard.
///
/// Threads: everything but `post`, `index` and `executor` is the worker's own thread's.
class Loop {
 public:
  explicit Loop(std::uint16_t index);

  std::uint16_t index() const { return index_; }
  Executor executor() { return io_.get_executor(); }
  asio::io_context& io() { return io_; }
  TimerWheel& wheel() { return wheel_; }
  MetricShard& metrics() { return metrics_; }

  /// Runs until `stop`.
  void run();
  void stop() { io_.stop(); }

  /// A parser, to be given back when no view into it remains. One that is lost is only freed.
  std::unique_ptr<JsonDocument> lease_document();
  void give_back(std::unique_ptr<JsonDocument> document);

  /// Runs `work` on this loop: at once when called on it, through its mailbox otherwise. False
  /// when the mailbox is full; the caller then answers `overloaded`.
  bool post(std::move_only_function<void()> work);
  /// The same for an answer to work that was posted: never refused, since as many answers are on
  /// their way as there are calls in progress, which are bounded elsewhere.
  void post_answer(std::move_only_function<void()> work);
  bool is_current() { return executor().running_in_this_thread(); }

 private:
  Task<void> tick();

  std::uint16_t index_;
  TimerWheel wheel_;
  MetricShard metrics_;
  std::vector<std::unique_ptr<JsonDocument>> documents_;
  std::atomic<std::size_t> mailbox_ = 0;
  // INVARIANT: destroyed first, since the frames it still holds refer to what stands above.
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> work_;
};

/// Starts a coroutine of its own on `loop`. What it throws ends the process: every failure that
/// can be expected is a value.
void spawn(Loop& loop, Task<void> task);

}  // namespace bartizan
