#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/runtime/asio.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/runtime/timer_wheel.h"

namespace bartizan {

/// Writes messages to a descriptor, each as one line: at once while the reader keeps up, otherwise
/// from a bounded queue. No message is dropped. The writer breaks if the reader is gone, if it
/// accepts no byte for `limits::write_deadline`, or if the queue is full. A broken writer reports
/// that once, and accepts no more messages.
///
/// The descriptor may be a pipe, a socket, a terminal or a file.
/// Threads: those of its loop, except `is_flushed`.
class LineWriter : public std::enable_shared_from_this<LineWriter> {
 public:
  LineWriter(Loop& loop, MemoryBudget& memory, Pipe output);

  /// Replaces line ends within the message with spaces. JSON allows them between tokens only.
  void write(std::string message);

  /// Returns once the queue has room for more requests, or the writer is broken.
  Task<void> wait_for_room();
  bool has_room() const;
  bool is_broken() const { return is_broken_; }
  /// Whether everything was written, or never will be.
  bool is_flushed() const { return waiting_.load(std::memory_order_relaxed) == 0; }

  /// Sets a function that is called once, with the reason as a sentence of the gateway.
  void on_broken(std::move_only_function<void(std::string_view why)> broken) {
    broken_ = std::move(broken);
  }

 private:
  struct Line {
    std::string text;
    std::size_t written = 0;
    MemoryBudget::Reservation memory = {};
  };

  bool write_now(Line& line);
  void keep(Line line);
  Task<void> write_waiting();
  void give_up(std::string_view why);
  void expire();

  Loop& loop_;
  MemoryBudget& memory_;
  Pipe output_;
  std::deque<Line> lines_;
  std::atomic<std::size_t> waiting_ = 0;  ///< Bytes of `lines_`.
  Signal room_;
  Deadline deadline_;
  bool is_broken_ = false;
  std::move_only_function<void(std::string_view)> broken_;
};

}  // namespace bartizan
