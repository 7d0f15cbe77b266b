#include "gateway/call/count_call.h"

#include <array>
#include <string_view>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"
#include "policy/text/qualified_name.h"

namespace bartizan {
namespace {

std::string_view status_text(const Ending& ending) {
  switch (ending.outcome) {
    case Outcome::success:
      return "success";
    case Outcome::tool_error:
      return "tool_error";
    case Outcome::denied:
      return "denied";
    case Outcome::timeout:
      return "timeout";
    default:
      return "failed";
  }
}

}  // namespace

void count_call(const CallFrame& frame, const Ending& ending, std::uint64_t duration_us) {
  MetricShard& metrics = frame.worker.loop.metrics();
  const double seconds = static_cast<double>(duration_us) / 1e6;
  const bool is_tool = frame.method() == MethodId::tools_call;
  const std::string_view error_type =
      ending.outcome == Outcome::success ? std::string_view() : text(ending.outcome);
  // Names of what nobody may call come from strangers, and are not made into labels.
  const bool known = frame.call.facts.tool != nullptr;
  const std::string_view tool = known ? frame.call.target : std::string_view();
  const std::string_view server =
      frame.target.server != nullptr ? std::string_view(frame.call.server) : std::string_view();
  const std::string_view method =
      frame.method() == MethodId::unknown ? "other" : frame.method_name();
  metrics.observe(Metric::server_operation,
                  std::array<std::string_view, 6>{method, server, tool, error_type,
                                                  kind_of(frame.inbound.transport).name,
                                                  text(frame.inbound.version)},
                  seconds);
  if (!is_tool) return;
  const QualifiedName joined(frame.call.server, tool);
  const std::array<std::string_view, 2> labels{known ? joined.view() : "unknown",
                                               status_text(ending)};
  metrics.add(Metric::tool_invocations, labels);
  metrics.observe(Metric::tool_duration, labels, seconds);
}

bool is_slow(const CallFrame& frame, const Ending& ending) {
  if (!frame.findings.sent_at.has_value() || frame.method() != MethodId::tools_call) return false;
  const auto expected = frame.policy().slow(frame.call);
  const auto end = ending.at.value_or(steady_now());
  return expected.has_value() && end - *frame.findings.sent_at > *expected;
}

void count_slow(const CallFrame& frame) {
  const QualifiedName joined(frame.call.server, frame.call.target);
  frame.worker.loop.metrics().add(Metric::performance_warnings,
                                  std::array<std::string_view, 2>{joined.view(), kSlowExecution});
}

}  // namespace bartizan
