#include <array>
#include <chrono>

#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

FlowMarks::Time now() {
  return steady_now().time_since_epoch();
}

/// Whether the client can have seen answers of other principals' calls makes no difference: a
/// session is one client's, and without one it is the principal who remembers.
bool has_session(const CallFrame& frame) {
  return frame.session != nullptr;
}

}  // namespace

Decision judge_flow(const CallFrame& frame, const std::vector<ToolLabel>& labels) {
  if (labels.empty()) return Decision::pass();
  const FlowSet& flows = frame.policy().flows();
  const Facts& facts = frame.call.facts;
  const FlowSet::Caller caller{.principal = frame.principal().id,
                               .approvals = facts.approvals,
                               .assumes_approval = facts.assumes_approval,
                               .now = facts.now};
  if (has_session(frame)) {
    return flows.judge(labels, frame.session->flow, FlowSet::Memory::session, now(), caller);
  }
  return flows.judge(labels, frame.worker.gateway.flows.find(frame.principal().id),
                     FlowSet::Memory::window, now(), caller);
}

void follow_chain(CallFrame& frame) {
  if (!frame.policy().asks_class()) return;
  frame.call.facts.chain = has_session(frame)
                               ? frame.session->flow.highest({})
                               : frame.worker.gateway.flows.find(frame.principal().id)
                                     .highest(now() - frame.policy().flows().window());
}

Result<void> follow_flow(const CallFrame& frame) {
  const std::vector<ToolLabel> labels = frame.policy().labels(frame.call);
  const FlowSet& flows = frame.policy().flows();
  const CallClass its = frame.policy().call_class(frame.call);
  // Marked also while no flow asks: one that a reload adds is to know of it.
  if (!leaves_mark(labels) && its.empty()) return {};
  for (const ToolLabel label : labels) {
    frame.worker.loop.metrics().add(Metric::flow_marks,
                                    std::array<std::string_view, 1>{text(label)});
  }
  if (has_session(frame)) {
    frame.session->flow.mark(labels, now());
    frame.session->flow.mark(its, now());
    return {};
  }
  const bool is_marked =
      frame.worker.gateway.flows.mark(frame.principal().id, labels, its, flows.window(), now());
  const bool is_asked_for = flows.looks_for(labels) || frame.policy().asks_class();
  if (is_marked || !is_asked_for) return {};
  return fail(ErrorCode::overloaded, Fault::gateway, "too many principals to remember");
}

}  // namespace bartizan
