// How a child that is a server ends: by itself, or because nobody needs it any more.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/upstream/stdio_upstream.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// How long the pipes are still read when the program has ended and something holds them open.
constexpr std::chrono::milliseconds kLastWordsWait{250};

std::string with_ending(std::string_view what, const std::optional<std::string>& ending) {
  std::string text(what);
  if (ending.has_value()) text += " (" + *ending + ")";
  return text;
}

}  // namespace

/// The end of the program itself: its pipes may be held open by what it has started.
Task<void> StdioUpstream::watch_end(LifePtr life) {
  const auto self = shared_from_this();
  const auto [error] = co_await life->ending.async_wait(Pipe::wait_read, kAwait);
  if (error || life->over) co_return;
  life->process.ended();
  life->over_for_output.notify();  // Which may wait for this alone.
  co_await life->over_for_ending.wait(kLastWordsWait);
  on_over(life);
}

void StdioUpstream::on_over(const LifePtr& life) {
  if (life->over) return;
  life->over = true;
  life->over_for_output.notify();
  life->over_for_ending.notify();
  spawn(home_, end(life));
  if (life_ != life) return;
  const bool was_running = state_ == State::running;
  handshake_.forget();
  if (stopping_) {
    handshake_.explain(server_failed("the server was stopped"));
    events_.state(key_, "stopped");
  } else if (was_running) {
    handshake_.explain(server_failed("the server ended while calls were in progress"));
    events_.state(key_, with_ending("ended unexpectedly", life->process.ended()));
  } else if (state_ == State::starting) {
    const std::string how = with_ending("ended before it introduced itself", life->process.ended());
    handshake_.explain({ErrorCode::server_unavailable, Fault::server, "the server " + how});
    events_.state(key_, how);
  }
  // What waited for room was never sent, and can be sent to the next process; but a server that
  // does not even start is not started for ever because somebody waits.
  if (was_running && !stopping_) {
    in_flight_.fail_calls(handshake_.failure());
  } else {
    fail_calls_and_waiting(handshake_.failure());
  }
  handshake_.end();
  life_ = nullptr;
  if (stopping_) {
    state_ = State::stopped;
    return;
  }
  state_ = State::waiting_to_restart;
  spawn(home_, restart_later());
}

Task<void> StdioUpstream::restart_later() {
  const auto self = shared_from_this();
  restart_delay_ = std::clamp<std::chrono::milliseconds>(
      restart_delay_ * 2, limits::server_restart_delay_min, limits::server_restart_delay_max);
  co_await restart_pause_.wait(restart_delay_);
  if (state_ != State::waiting_to_restart) co_return;
  state_ = State::stopped;
  // Started again only when somebody waits for it: a server that nobody calls may stay down.
  if (queue_.size() > 0 && !stopping_) start();
}

Task<void> StdioUpstream::end(LifePtr life) {
  const auto self = shared_from_this();
  error_code ignored;
  life->input.close(ignored);
  Signal pause(home_);
  std::optional<std::string> ending = life->process.ended();
  // The end of its input first, then each signal; and none is left to be waited for by force, which
  // would block this worker.
  for (const int number : {0, SIGTERM, SIGKILL}) {
    if (number != 0 && !ending.has_value()) life->process.signal(number);
    const auto deadline = steady_now() + events_.stop_grace;
    while (!ending.has_value() && steady_now() < deadline) {
      co_await pause.wait(limits::timer_tick);
      ending = life->process.ended();
    }
  }
  if (ending.has_value())
    log(LogLevel::debug, "process ended", {{"server", key_.server}, {"how", *ending}});
  life->output.close(ignored);
  life->error.close(ignored);
  life->ending.close(ignored);
  events_.children->fetch_sub(1);
}

void StdioUpstream::stop() {
  stopping_ = true;
  restart_pause_.notify();  // Nothing sleeps for a server that is not started again.
  if (life_ != nullptr) return on_over(life_);
  if (check_ != nullptr) check_->end();
  // While its executables are read, somebody may wait for it already.
  if (state_ == State::starting) handshake_.explain(server_failed("the server was stopped"));
  fail_calls_and_waiting(handshake_.failure());
  handshake_.end();
}

}  // namespace bartizan
