#include <algorithm>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

/// For servers that are still starting, where the client has started the gateway itself.
constexpr std::chrono::milliseconds kLocalStartWait{25'000};
constexpr std::chrono::milliseconds kStartPause{50};

/// Whether a server is configured for this caller that has neither answered nor failed yet.
bool has_starting_server(const CallFrame& frame) {
  return std::ranges::any_of(frame.snapshot().config.servers, [&frame](const auto& server) {
    return frame.worker.directory->find(server.first) == nullptr &&
           frame.policy().concerns(frame.principal(), server.first, any_call_of(frame));
  });
}

}  // namespace

Task<void> await_servers(CallFrame& frame) {
  const bool is_own = kind_of(frame.inbound.transport).is_own_process;
  const auto wait = frame.snapshot().config.process.start_wait.value_or(
      is_own ? kLocalStartWait : std::chrono::milliseconds(0));
  const auto end = steady_now() + wait;
  Signal pause(frame.worker.loop);
  while (steady_now() < end && has_starting_server(frame) && !frame.pending->has_ended())
    co_await pause.wait(kStartPause);
}

}  // namespace bartizan
