// What a supervisor is told of the start and of reloads.
#include <chrono>
#include <string>

#include "gateway/control/control.h"
#include "gateway/process/systemd_notify.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/status/gateway_view.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// A gateway that cannot become ready, for example since its disk is full, must not keep its unit
/// in the state `activating`: that would hold up every unit that starts after it.
constexpr std::chrono::seconds kReadyWait{10};
static_assert(kReadyWait > limits::server_probe_deadline);
constexpr std::chrono::milliseconds kLookAgain{50};

/// On CLOCK_MONOTONIC, as sd_notify(3) wants it with RELOADING=1.
std::string microseconds_since_boot() {
  const auto since = steady_now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

}  // namespace

/// Sends `READY=1` when calls are accepted, at the latest after `kReadyWait`. Over standard input
/// the client decides when servers are asked, so nothing is waited for.
Task<void> Control::tell_ready() {
  const auto latest = steady_now() + kReadyWait;
  Signal pause(loop_);
  std::string why;
  while (stdio_ == nullptr) {
    const std::vector<WorkerView> views = co_await look_at_all(loop_, *gateway_);
    why = not_ready(*gateway_, views.front());
    if (why.empty() || is_stopping_ || steady_now() >= latest) break;
    co_await pause.wait(kLookAgain);
  }
  if (is_stopping_) co_return;
  if (!why.empty()) log(LogLevel::warning, "started, and not ready", {{"why", why}});
  is_told_ready_ = true;
  tell_supervisor("READY=1");
}

/// A reload during the start is part of the start: `READY=1` after it would be too early.
void Control::tell_reloading() {
  if (is_told_ready_) tell_supervisor("RELOADING=1\nMONOTONIC_USEC=" + microseconds_since_boot());
}

void Control::tell_reloaded() {
  if (is_told_ready_) tell_supervisor("READY=1");
}

}  // namespace bartizan
