#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "gateway/message/exchange.h"
#include "gateway/reply/resume_buffer.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

/// One message for a client, with the fields of an event stream.
struct ReplyEvent {
  std::string message = {};  ///< If it is empty and has no id, the event only begins the answer.
  std::string id = {};       ///< Empty if the stream cannot be resumed.
  std::optional<std::uint32_t> retry_ms = {};
  ResumeEventPtr kept = {};  ///< Replaces message and id.

  std::string_view text() const { return kept != nullptr ? kept->message : message; }
};

/// The listener of an exchange with a resumable answer. It learns what happens to the answer.
///
/// Threads: the worker that handles the call.
class ReplyListener : public std::enable_shared_from_this<ReplyListener> {
 public:
  /// The answer becomes a stream, without a first message.
  virtual void on_stream() = 0;
  /// The client of that connection has disconnected.
  virtual void on_gone(std::uint64_t connection) = 0;

 protected:
  ~ReplyListener() = default;
};

/// The connection's end of an exchange: the answer to one HTTP request, as it becomes ready.
/// Bounded: a client that does not read is disconnected, and nobody waits for it.
///
/// Threads: the connection's worker.
class HttpReply {
 public:
  /// Large waiting messages take from the principal's share, if shares are given.
  explicit HttpReply(Loop& loop, MemoryShares* shares = nullptr, std::string principal = {});

  void push(ReplyEvent event);
  /// `last` replaces the answer's message if the stream can be resumed.
  void finish(Answer answer, ResumeEventPtr last = nullptr);
  /// Runs `cancelled` on `home` if the client disconnects, now or later.
  void on_cancel(Loop& home, std::move_only_function<void()> cancelled);

  /// For a resumable answer: calls `listener` on `home`, while it exists, when the answer becomes a
  /// stream, and when the client of this `connection` disconnects, now or later.
  void listen(Loop& home, std::weak_ptr<ReplyListener> listener, std::uint64_t connection);

  /// The client has disconnected. In the modern era, and if it cannot resume, that cancels the
  /// call.
  void cancel();
  /// The answer becomes a stream.
  void open();
  bool is_resumable() const { return is_resumable_; }
  /// Disconnects the client: it reads too slowly, or has resumed on another connection.
  void cut();
  /// Messages that were posted to the connection's worker and have not arrived. Any thread.
  std::atomic<std::size_t> on_its_way = 0;

  /// The client takes only the end. Other messages are dropped, past and future.
  void take_only_end();

  /// Waits for news: something to write, the end, or a wake. False if `wait` passed without news.
  class Wait;
  Wait wait(std::chrono::milliseconds wait);
  std::optional<ReplyEvent> take_event();
  bool has_message() const { return !messages_.empty(); }
  /// The end, once there is one.
  const std::optional<Answer>& answer() const { return answer_; }
  const ResumeEventPtr& last_event() const { return last_event_; }
  bool is_overrun() const { return overrun_; }

 private:
  Signal signal_;
  MemoryShares* shares_;
  std::string principal_;
  struct Queued {
    ReplyEvent event;
    MemoryShares::Held memory;
  };
  bool enqueue(ReplyEvent event);

  std::list<Queued> messages_;
  std::size_t message_bytes_ = 0;
  std::optional<Answer> answer_;
  ResumeEventPtr last_event_;
  Loop* home_ = nullptr;
  std::move_only_function<void()> cancelled_;
  std::weak_ptr<ReplyListener> listener_;
  std::uint64_t connection_ = 0;  ///< The listener's number of it.
  bool is_open_ = false;
  bool is_resumable_ = false;
  bool gone_ = false;
  bool overrun_ = false;
  bool only_end_ = false;
};

/// One wait for news, to be awaited at once.
class [[nodiscard]] HttpReply::Wait {
 public:
  Wait(bool has_news, Signal::Wait wait) : has_news_(has_news), wait_(wait) {}

  bool await_ready() const noexcept { return has_news_ || wait_.await_ready(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    wait_.await_suspend(awaiting);
  }
  bool await_resume() { return has_news_ || wait_.await_resume() == Signal::Woken::notified; }

 private:
  bool has_news_;
  Signal::Wait wait_;
};

/// The route from the worker that handles a call to the worker of the client's connection.
///
/// Threads: the worker that handles the call.
class ReplyRoute {
 public:
  ReplyRoute(Loop& connection, std::shared_ptr<HttpReply> reply)
      : connection_(&connection), reply_(std::move(reply)) {}

  /// Sends one event there. False if too many events are on their way: the client is then
  /// disconnected.
  bool push(ReplyEvent event);
  void finish(Answer answer, ResumeEventPtr last = nullptr);
  void cut();
  void on_cancel(Loop& home, std::move_only_function<void()> cancelled);
  void listen(Loop& home, std::weak_ptr<ReplyListener> listener, std::uint64_t connection);

 private:
  /// Runs `work` with the reply on the connection's worker.
  template <class Work>
  void run_there(Work work) const;

  Loop* connection_;
  std::shared_ptr<HttpReply> reply_;
  bool is_cut_ = false;
};

/// The call's end of the exchange. It sends everything to the connection's worker.
///
/// Threads: the worker that handles the call.
class HttpExchange final : public Exchange {
 public:
  HttpExchange(ReplyRoute route, Loop& home) : route_(std::move(route)), home_(home) {}
  /// A dropped exchange is ended, so that no client waits forever.
  ~HttpExchange() override;

  void send(std::string message) override;
  void finish(Answer answer) override;
  void on_cancel(std::move_only_function<void()> cancelled) override;

 private:
  ReplyRoute route_;
  Loop& home_;
  bool finished_ = false;
};

}  // namespace bartizan
