#include <array>

#include "gateway/call/call_steps.h"
#include "gateway/call/resolve_target.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// What the metric calls it. One caller's circuit is told apart from everyone's.
std::string_view name_of(const Circuits::News& news) {
  const bool is_open = news.change == Circuits::Change::opened;
  if (news.scope == Circuits::Scope::caller)
    return is_open ? "open_for_caller" : "closed_for_caller";
  return is_open ? "open" : "closed";
}

void tell(const CallFrame& frame, const Circuits::News& news) {
  const bool is_open = news.change == Circuits::Change::opened;
  const std::string_view to = name_of(news);
  frame.worker.loop.metrics().add(Metric::server_circuit,
                                  std::array<std::string_view, 2>{frame.call.server, to});
  const bool is_callers = news.scope == Circuits::Scope::caller;
  log(is_open ? LogLevel::warning : LogLevel::info,
      is_open ? "server fails too often" : "server answers again",
      {{"server", std::string(frame.call.server)},
       {"circuit", std::string(to)},
       {"caller", is_callers ? frame.principal().id : std::string("any")}});
}

}  // namespace

void enter_circuit(CallFrame& frame) {
  frame.target.circuit.reset();
  frame.target.circuit_retry.reset();
  // What goes to all servers is not held up by one of them, and who may not call anyway takes
  // nobody's turn.
  if (frame.target.server == nullptr || !frame.target.server->breaker || !may_matter(frame)) return;
  auto answer = frame.worker.gateway.circuits.ask(frame.target.upstream.key(), frame.principal().id,
                                                  *frame.target.server->breaker);
  if (const auto* retry_after = std::get_if<std::chrono::milliseconds>(&answer)) {
    frame.target.circuit_retry = *retry_after;
  } else {
    frame.target.circuit.emplace(std::get<Circuits::Pass>(std::move(answer)));
  }
}

void leave_circuit(CallFrame& frame, Outcome outcome) {
  if (!frame.target.circuit.has_value() || outcome == Outcome::cancelled) return;
  const bool is_failure = outcome == Outcome::failed || outcome == Outcome::timeout;
  for (const Circuits::News& news :
       is_failure ? frame.target.circuit->failed() : frame.target.circuit->succeeded())
    tell(frame, news);
}

void count_client_operation(const CallFrame& frame, const Ending& ending,
                            std::chrono::steady_clock::time_point sent_at) {
  const std::string_view error_type =
      ending.outcome == Outcome::success ? std::string_view() : text(ending.outcome);
  const auto& servers = frame.snapshot().config.servers;
  const auto server = servers.find(frame.call.server);
  const bool is_child = server != servers.end() && !server->second.command.empty();
  frame.worker.loop.metrics().observe(
      Metric::client_operation,
      std::array<std::string_view, 4>{frame.method_name(), frame.call.server, error_type,
                                      is_child ? "stdio" : "http"},
      std::chrono::duration<double>(*ending.at - sent_at).count());
}

}  // namespace bartizan
