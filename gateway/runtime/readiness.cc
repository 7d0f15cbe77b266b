#include "gateway/runtime/readiness.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace bartizan {
namespace {

/// Of one turn; the others come in the next.
constexpr int kEventsMax = 256;

constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLET;
constexpr std::uint32_t kEverything = kEnd | EPOLLIN | EPOLLOUT;
/// Events that are always reported, and the peer's own end.
constexpr std::uint32_t kEnded = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

/// Moves a waiter out, so that it may wait again before all others were resumed.
void move_to(std::vector<Wakeup>& ready, std::optional<Wakeup>& waiter) {
  if (!waiter.has_value()) return;
  ready.push_back(std::move(*waiter));
  waiter.reset();
}

}  // namespace

Poller::Poller(asio::io_context& io) : io_(io), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Poller::~Poller() {
  if (epoll_ >= 0) ::close(epoll_);
}

void Poller::arm() {
  if (std::exchange(is_armed_, true)) return;
  if (!events_.has_value()) events_.emplace(io_.get_executor(), ::dup(epoll_));
  events_->async_wait(Pipe::wait_read, [this](const error_code& /*error*/) { is_armed_ = false; });
}

std::size_t Poller::resume_ready() {
  std::array<epoll_event, kEventsMax> events;
  const auto count =
      static_cast<std::size_t>(std::max(0, ::epoll_wait(epoll_, events.data(), kEventsMax, 0)));
  // Nobody is resumed before all events were noted, since a resumed coroutine may end sockets of
  // this turn.
  for (const epoll_event& event : std::span(events).first(count))
    static_cast<Readiness*>(event.data.ptr)->take(event.events, ready_);
  for (Wakeup& wakeup : ready_)
    wakeup();
  ready_.clear();
  return count;
}

void Poller::abandon() {
  events_.reset();
  while (first_ != nullptr) {
    Readiness& socket = *first_;
    socket.unlink();
    // A frame owns what it waits for: dropping a waiter may end the socket, and others.
    std::vector<Wakeup> dropped;
    move_to(dropped, socket.reader_);
    move_to(dropped, socket.writer_);
  }
}

Readiness::Readiness(Poller& poller, int socket) : poller_(poller), socket_(socket) {
  epoll_event event{.events = kEverything, .data = {.ptr = this}};
  is_registered_ = ::epoll_ctl(poller_.epoll_, EPOLL_CTL_ADD, socket_, &event) == 0;
  if (!is_registered_) return;
  next_ = std::exchange(poller_.first_, this);
  if (next_ != nullptr) next_->previous_ = this;
}

Readiness::~Readiness() {
  wake();
  unlink();
  // Explicitly: a child that is being started may hold the descriptor a moment longer than we do.
  if (is_registered_) ::epoll_ctl(poller_.epoll_, EPOLL_CTL_DEL, socket_, nullptr);
}

void Readiness::unlink() {
  if (poller_.first_ == this) poller_.first_ = next_;
  if (previous_ != nullptr) previous_->next_ = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  previous_ = nullptr;
  next_ = nullptr;
}

void Readiness::listen_for(Interest interest) {
  const std::uint32_t events = interest == Interest::end ? kEnd : kEverything;
  epoll_event event{.events = events, .data = {.ptr = this}};
  ::epoll_ctl(poller_.epoll_, EPOLL_CTL_MOD, socket_, &event);
}

void Readiness::go_on_reading() {
  goes_on_ = !goes_on_;
  if (goes_on_) return;
  may_read_ = false;
  listen_for(Interest::everything);
}

void Readiness::take(std::uint32_t events, std::vector<Wakeup>& ready) {
  const bool has_ended = (events & kEnded) != 0;
  if (has_ended || (events & EPOLLIN) != 0) {
    may_read_ = true;
    move_to(ready, reader_);
  }
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
    may_write_ = true;
    move_to(ready, writer_);
  }
  if (has_ended && !std::exchange(has_ended_, true)) tell_end();
}

void Readiness::wake() {
  for (std::optional<Wakeup>* waiter : {&reader_, &writer_}) {
    if (!waiter->has_value()) continue;
    asio::post(poller_.io_, std::move(**waiter));
    waiter->reset();
  }
}

void Readiness::on_end(std::move_only_function<void()> ended) {
  watch_ = ended ? std::make_shared<Watch>(std::move(ended)) : nullptr;
  if (has_ended_) tell_end();
}

void Readiness::tell_end() {
  if (watch_ == nullptr) return;
  // Weakly: the watch may end before its turn comes.
  asio::post(poller_.io_, [watch = std::weak_ptr(watch_)] {
    if (const auto alive = watch.lock()) (*alive)();
  });
}

}  // namespace bartizan
