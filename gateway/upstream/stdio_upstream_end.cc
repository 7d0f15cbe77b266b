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

void StdioUpstream::on_over(LifePtr life) {
  if (life->over) return;
  life->over = true;
  life->over_for_output.notify();
  life->over_for_ending.notify();
  spawn(home_, end(life));
  if (life_ != life) return;
  life_ = nullptr;
  note_end(life->process.ended());
}

void StdioUpstream::end_life() {
  if (life_ != nullptr) on_over(life_);
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

void StdioUpstream::stop_beginning() {
  if (check_ != nullptr) check_->end();
}

}  // namespace bartizan
