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

/// Writes messages to a descriptor, each as one line: at once while the reader keeps up, from a
/// bounded queue otherwise. Nothing is ever dropped: when the reader is gone, lets no byte through
/// for `limits::write_deadline`, or more waits than the queue may hold, the writer is broken, says
/// so once, and takes nothing any more.
///
/// The descriptor may be a pipe, a socket, a terminal or a file.
/// Threads: those of its loop, except `is_flushed`.
class LineWriter : public std::enable_shared_from_this<LineWriter> {
 public:
  LineWriter(Loop& loop, MemoryBudget& memory, Pipe output);

  /// Line ends within the message, which JSON allows between tokens only, become spaces.
  void write(std::string message);

  /// Returns once little enough waits that more may be asked for, or the writer is broken.
  Task<void> wait_for_room();
  bool has_room() const;
  bool is_broken() const { return is_broken_; }
  /// Everything that was written has left, or never will.
  bool is_flushed() const { return waiting_.load(std::memory_order_relaxed) == 0; }

  /// `broken` is called once, with the reason in one of our own sentences.
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
