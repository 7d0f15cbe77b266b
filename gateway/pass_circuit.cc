#include <array>

#include "gateway/call_steps.h"
#include "gateway/log.h"

namespace bartizan {
namespace {

void tell(const CallFrame& frame, Circuits::Change change) {
  if (change == Circuits::Change::none) return;
  const bool is_open = change == Circuits::Change::opened;
  const std::string_view to = is_open ? "open" : "closed";
  frame.worker.loop.metrics().add(Metric::server_circuit,
                                  std::array<std::string_view, 2>{frame.call.server, to});
  log(is_open ? LogLevel::warning : LogLevel::info,
      is_open ? "server fails too often" : "server answers again",
      {{"server", std::string(frame.call.server)}, {"circuit", std::string(to)}});
}

}  // namespace

std::optional<std::chrono::milliseconds> enter_circuit(CallFrame& frame,
                                                       const std::vector<Outgoing>& outgoing) {
  frame.circuit.reset();
  // What goes to all servers is not held up by one of them.
  if (outgoing.size() != 1 || frame.server == nullptr || !frame.server->breaker) {
    return std::nullopt;
  }
  auto answer =
      frame.worker.gateway.circuits.ask(outgoing.front().upstream.key(), *frame.server->breaker);
  if (const auto* retry_after = std::get_if<std::chrono::milliseconds>(&answer)) {
    return *retry_after;
  }
  frame.circuit.emplace(std::get<Circuits::Pass>(std::move(answer)));
  return std::nullopt;
}

void leave_circuit(CallFrame& frame, Outcome outcome) {
  if (!frame.circuit.has_value() || outcome == Outcome::cancelled) return;
  const bool is_failure = outcome == Outcome::failed || outcome == Outcome::timeout;
  tell(frame, is_failure ? frame.circuit->failed() : frame.circuit->succeeded());
}

}  // namespace bartizan
