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

/// What the sockets of one loop are ready for. Each is registered once, and the kernel then tells
/// of every change; Asio asks it anew, or tries in vain, before each wait, which costs every
/// message a system call. Where the loop waits, the poller is one descriptor to Asio.
///
/// Threads: those of its loop: one.
/// Cost:    one system call for all the sockets that became ready in one turn, two more where the
///          loop waited for them.
/// Source:  epoll(7), "Level-triggered and edge-triggered".
class Poller {
 public:
  explicit Poller(asio::io_context& io);
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  ~Poller();

  /// Resumes who waits for a socket that has become ready. Answers how many have.
  std::size_t resume_ready();
  /// Has Asio return from a wait as soon as a socket becomes ready, once.
  void arm();
  /// Whether it still would.
  bool is_armed() const { return is_armed_; }
  /// Destroys the coroutines that still wait: their loop will not run again.
  void abandon();

 private:
  friend class Readiness;

  asio::io_context& io_;
  int epoll_ = -1;
  std::optional<Pipe> events_;  ///< What it is to Asio, once it was armed.
  bool is_armed_ = false;
  Readiness* first_ = nullptr;  ///< All that are registered, linked.
  std::vector<Wakeup> ready_;
};

/// What one socket is ready for, as far as the loop has been told.
///
/// Reading and writing go by the answers of the system calls: a read that filled less than its
/// room, or a write that took less than it was given, has exhausted the socket until the kernel
/// says otherwise. One waiter for each direction.
///
/// Lifetime: ends before its descriptor is closed, and before its poller.
/// Threads:  those of its loop: one.
class Readiness {
 public:
  /// Which changes are of interest: all, or only that the peer has ended its side.
  enum class Interest : std::uint8_t { everything, end };

  Readiness(Poller& poller, int socket);
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;
  /// Who still waits is resumed in a turn to come.
  ~Readiness();

  /// False when the kernel refused: it has no memory or no places left.
  bool is_registered() const { return is_registered_; }
  void listen_for(Interest interest);

  bool may_read() const { return may_read_; }
  bool may_write() const { return may_write_; }
  bool has_ended() const { return has_ended_; }
  /// A read filled its room, and more may be there: it may be read at once, and behind a second
  /// such read it is told in a turn to come, so that a peer that sends without end takes turns with
  /// all others. Cost: one system call every other time.
  void go_on_reading();
  /// Nothing more can be read for now. The end of the stream can always be.
  void set_read_out() {
    may_read_ = has_ended_;
    goes_on_ = false;
  }
  void set_written_full() { may_write_ = false; }

  class Wait;
  /// Returns when the socket may be read, or written to, or `wake` was called.
  Wait readable();
  Wait writable();
  /// Resumes who waits, in a turn to come.
  void wake();
  /// Calls back in a turn to come, once, when the peer has ended its side: also behind bytes that
  /// nobody has read. An empty one is nobody.
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
  bool goes_on_ = false;  ///< A read filled its room, and may be followed by one more.
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
