#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "gateway/exchange.h"
#include "gateway/loop.h"
#include "gateway/signal.h"

namespace bartizan {

/// What one HTTP request is answered with, as it becomes ready: the connection's end of an
/// exchange. Bounded: a client that does not read is cut off, and nobody waits for it.
///
/// Threads: the connection's worker.
class HttpReply : public std::enable_shared_from_this<HttpReply> {
 public:
  /// Large messages are reserved from `memory` while they wait, where one is given.
  explicit HttpReply(Loop& loop, MemoryBudget* memory = nullptr);

  void push(std::string message);
  void finish(Answer answer);
  /// `cancelled` runs on `home` if the client is found gone, now or later.
  void on_cancel(Loop& home, std::move_only_function<void()> cancelled);

  /// The client is gone, and that cancels the call.
  void cancel();
  /// The client reads too slowly for what is on its way to it: it is cut off.
  void cut();
  /// Messages that were posted to the connection's worker and have not arrived. Any thread.
  std::atomic<std::size_t> on_its_way = 0;

  /// The client takes the end and nothing before it: what was sent is dropped, and what will be.
  void take_only_end();

  /// Waits for news: something to write, the end, or a wake. False when `wait` passed without any.
  Task<bool> wait(std::chrono::milliseconds wait);
  std::optional<std::string> take_message();
  bool has_message() const { return !messages_.empty(); }
  /// The end, once it is there.
  const std::optional<Answer>& answer() const { return answer_; }
  bool is_overrun() const { return overrun_; }

 private:
  Signal signal_;
  MemoryBudget* memory_;
  struct Queued {
    std::string message;
    MemoryBudget::Reservation memory;
  };
  std::list<Queued> messages_;
  std::size_t message_bytes_ = 0;
  std::optional<Answer> answer_;
  Loop* home_ = nullptr;
  std::move_only_function<void()> cancelled_;
  bool gone_ = false;
  bool overrun_ = false;
  bool only_end_ = false;
};

/// The call's end of the exchange: brings what it is given to the connection's worker.
///
/// Threads: the worker that handles the call.
class HttpExchange final : public Exchange {
 public:
  HttpExchange(Loop& connection, Loop& home, std::shared_ptr<HttpReply> reply)
      : connection_(connection), home_(home), reply_(std::move(reply)) {}
  /// An exchange that was dropped is ended, so that no client waits for ever.
  ~HttpExchange() override;

  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

 private:
  Loop& connection_;
  Loop& home_;
  std::shared_ptr<HttpReply> reply_;
  bool finished_ = false;
  bool cut_ = false;
};

}  // namespace bartizan
