#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gateway/runtime/asio.h"

namespace bartizan {

class Readiness;

/// The readiness of one loop's sockets. Each socket is registered once, and the kernel reports each
/// change. Asio instead registers again, or tries in vain, before each wait, which costs a system
/// call per message. While the loop waits, the poller is one descriptor to Asio.
///
/// Threads: those of its loop: one.
/// Cost:    one system call for all the sockets that became ready in one turn; two more if the loop
///          waited for them.
/// Source:  epoll(7), "Level-triggered and edge-triggered".
class Poller {
 public:
  explicit Poller(asio::io_context& io);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// Resumes the waiters of sockets that have become ready. Returns the number of events.
  std::size_t resume_ready();
  /// Makes Asio return from a wait once a socket becomes ready, once.
  void arm();
  /// Whether `arm` is still in effect.
  bool is_armed() const { return is_armed_; }
  /// Destroys the coroutines that still wait: their loop will not run again.
  void abandon();

 private:
  friend class Readiness;

  asio::io_context& io_;
  int epoll_ = -1;
  std::optional<Pipe> events_;  ///< The poller as a descriptor for Asio, once armed.
  bool is_armed_ = false;
  Readiness* first_ = nullptr;  ///< All registered sockets, linked.
  std::vector<Wakeup> ready_;
};

/// The known readiness of one socket.
///
/// It follows the results of system calls. A read that did not fill its buffer, or a write that was
/// not complete, exhausts the socket until the kernel reports it again. One waiter for each
/// direction.
///
/// Lifetime: ends before its descriptor is closed, and before its poller.
/// Threads:  those of its loop: one.
class Readiness {
 public:
  /// The reported changes: all, or only that the peer has ended its side.
  enum class Interest : std::uint8_t { everything, end };

  Readiness(Poller& poller, int socket);
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;
  /// Waiters are resumed in a later turn.
  ~Readiness();

  /// False if the kernel refused: it has no memory or no places left.
  bool is_registered() const { return is_registered_; }
  void listen_for(Interest interest);

  bool may_read() const { return may_read_; }
  bool may_write() const { return may_write_; }
  bool has_ended() const { return has_ended_; }
  /// A read filled its buffer, and more bytes may follow. The socket may be read again at once.
  /// After a second such read, it is reported in a later turn. So a peer that sends without end
  /// takes turns with all others. Cost: one system call every other time.
  void go_on_reading();
  /// Nothing more can be read for now. The end of the stream can always be read.
  void set_read_out() {
    may_read_ = has_ended_;
    goes_on_ = false;
  }
  void set_written_full() { may_write_ = false; }

  class Wait;
  /// Returns when the socket can be read or written, or after `wake`.
  Wait readable();
  Wait writable();
  /// Resumes the waiters in a later turn.
  void wake();
  /// Calls `ended` in a later turn, once, when the peer has ended its side, even if there are
  /// unread bytes. An empty function disables it.
  void on_end(std::move_only_function<void()> ended);

 private:
  friend class Poller;
  using Watch = std::move_only_function<void()>;

  void take(std::uint32_t events, std::vector<Wakeup>& ready);
  void unlink();
  void tell_end();

  Poller& poller_;
  int socket_;
  Readiness* previous_ = nullptr;
  Readiness* next_ = nullptr;
  bool is_registered_ = false;
  bool may_read_ = false;
  bool goes_on_ = false;  ///< A read filled its buffer; one more may follow.
  bool may_write_ = true;
  bool has_ended_ = false;
  std::optional<Wakeup> reader_;
  std::optional<Wakeup> writer_;
  std::shared_ptr<Watch> watch_;
};

/// One wait, to be awaited at once.
class [[nodiscard]] Readiness::Wait {
 public:
  Wait(const bool& is_ready, std::optional<Wakeup>& waiter)
      : is_ready_(is_ready), waiter_(waiter) {}

  bool await_ready() const noexcept { return is_ready_; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    waiter_.emplace(awaiting);
  }
  void await_resume() const noexcept {}

 private:
  const bool& is_ready_;
  std::optional<Wakeup>& waiter_;
};

inline Readiness::Wait Readiness::readable() {
  return {may_read_, reader_};
}

inline Readiness::Wait Readiness::writable() {
  return {may_write_, writer_};
}

}  // namespace bartizan
