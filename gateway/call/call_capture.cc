// What of a call goes into a capture: gathered on the call's way, handed over at its end.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "audit/digest.h"
#include "gateway/call/call_steps.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {
namespace {

/// Of a call that waits for its turn, until it has taken.
constexpr std::int64_t kWaits = -1;

std::int64_t clock_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(steady_now().time_since_epoch())
      .count();
}

/// The params of a method that names no target. What stands in `_meta` is for the transport, and
/// may hold what clients prove themselves with elsewhere.
std::string params_of(const Message& message, std::string_view bytes) {
  std::string params;
  for (const JsonValue member : message.params) {
    if (member.key() == "_meta") continue;
    params += params.empty() ? "{" : ",";
    params += member.key_range().of(bytes);
    params += ':';
    params += member.raw();
  }
  return params.empty() ? params : params + "}";
}

/// A session's id is what its client comes back with: it stands for itself nowhere else.
std::string stand_in(const std::string& session) {
  Digester digester;
  const auto hex = hex_text(digester.sha256(session));
  return {hex.data(), 16};
}

/// What was found out for the call, in so far as there is memory for it and for its line.
void capture_facts(CallFrame& frame) {
  const std::vector<GatheredFact>& gathered = frame.call.facts.gathered;
  frame.capture.call->gathered.clear();
  if (gathered.empty()) return;
  std::size_t bytes = gathered.size() * sizeof(GatheredFact);
  for (const GatheredFact& fact : gathered)
    bytes += fact.question.root.size() + fact.question.name.size();
  Gateway& gateway = frame.worker.gateway;
  if (!hold(gateway.memory, frame.capture.memory, 2 * (frame.inbound.bytes + bytes))) {
    frame.capture.call.reset();
    return gateway.capture.count_missing();
  }
  frame.capture.call->gathered = gathered;
}

/// What the server is known to list of the tool, by who refused: nobody has looked for callers
/// whom no rule lets see it.
KnownDefinition known_of(const CallFrame& frame, Reason reason) {
  if (frame.target.tool != nullptr) return KnownDefinition::listed;
  const bool is_missing = reason == Reason::tool_unknown && !frame.target.unavailable.has_value();
  return is_missing ? KnownDefinition::none : KnownDefinition::unknown;
}

}  // namespace

void begin_capture(CallFrame& frame) {
  CaptureLog& capture = frame.worker.gateway.capture;
  // What the gateway repeats of its own accord, no client has asked for.
  if (!capture.is_on() || !frame.inbound.only_server.empty()) return;
  const Message& message = frame.message();
  const bool has_target = message.known->target != TargetKind::none ||
                          message.known->id == MethodId::completion_complete;
  // The arguments, and a line that holds them.
  if (!hold(frame.worker.gateway.memory, frame.capture.memory, 2 * frame.call.bytes.size())) {
    return capture.count_missing();
  }
  frame.capture.call = std::make_unique<CapturedCall>();
  DescribedCall& call = frame.capture.call->call;
  call.method = message.method;
  if (message.arguments) call.arguments = message.arguments.raw();
  if (!has_target) call.params = params_of(message, frame.call.bytes.view());
}

void capture_turn(CallFrame& frame) {
  if (frame.capture.call == nullptr) return;
  CapturedCall& captured = *frame.capture.call;
  if (captured.order > 0) {
    captured.waited_us = kWaits;
    return;
  }
  captured.clock_us = clock_us();
  captured.order = frame.worker.gateway.capture.next_order();
  captured.time_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(system_now().time_since_epoch())
          .count();
}

// Of what passes the time is read behind the limits, of what is refused in front of them, and of
// what ends before slots are given back: a replay then finds room where there was some.
void capture_taken(CallFrame& frame) {
  if (frame.capture.call == nullptr) return;
  CapturedCall& captured = *frame.capture.call;
  const std::int64_t now = clock_us();
  const bool has_waited = captured.waited_us == kWaits;
  captured.waited_us = has_waited ? now - captured.clock_us : 0;
  if (!has_waited) captured.clock_us = now;
}

void capture_approvals(CallFrame& frame) {
  if (frame.capture.call == nullptr) return;
  std::vector<std::string>& approvers = frame.capture.call->call.facts.approved_by;
  approvers.clear();
  for (const Approval& approval : frame.call.facts.approvals)
    approvers.emplace_back(approval.approver);
  keep_each_once(approvers);
}

void capture_end(CallFrame& frame) {
  if (frame.capture.call == nullptr) return;
  CapturedCall& captured = *frame.capture.call;
  captured.took_us =
      std::max<std::int64_t>(clock_us() - captured.clock_us - captured.waited_us.value_or(0), 0);
}

void capture_decision(CallFrame& frame, const Judgement& judgement, std::string_view pointer) {
  if (frame.capture.call == nullptr) return;
  CapturedCall& captured = *frame.capture.call;
  if (captured.order == 0) capture_turn(frame);
  // Refused when it was judged once more: it has taken nothing.
  if (captured.waited_us == kWaits) captured.waited_us.reset();
  captured.decision_id = frame.decision_id.view();
  const Principal& principal = frame.principal();
  captured.call.principal = principal.id;
  captured.call.roles = principal.roles;
  captured.attributes = principal.attributes;
  captured.trust = text(principal.trust);
  if (frame.session != nullptr) captured.session = stand_in(frame.session->id);
  captured.call.target_kind = frame.call.target_kind;
  captured.call.target = frame.target.name;
  captured.call.server = frame.target.server != nullptr ? frame.target.server->name : "";
  captured.call.facts.transport = frame.call.facts.transport;
  if (frame.call.facts.client_address.has_value()) {
    captured.call.facts.client_address = *frame.call.facts.client_address;
  }
  captured.call.facts.revision = frame.inbound.version;
  captured.known = known_of(frame, judgement.reason);
  frame.capture.tool = frame.target.tool;
  captured.definition = frame.target.tool != nullptr ? frame.target.tool->fingerprint : "";
  captured.is_permitted = judgement.decision == "permit";
  captured.check = judgement.check;
  captured.reason = judgement.reason == Reason::none ? "" : text(judgement.reason);
  captured.rule = judgement.rule;
  captured.pointer = pointer;
  capture_facts(frame);
}

void finish_capture(CallFrame& frame) {
  // A process that ends may leave calls behind that nobody decided about.
  if (frame.capture.call == nullptr || frame.capture.call->call.principal.empty()) return;
  CapturedCall& captured = *frame.capture.call;
  // What took from the limits has ended when it gave back.
  if (!captured.waited_us.has_value()) capture_end(frame);
  captured.bytes_in = frame.inbound.bytes;
  captured.bytes_out =
      std::max<std::uint64_t>(frame.findings.bytes_relayed, frame.findings.bytes_out);
  frame.worker.gateway.capture.add(capture_line(captured), std::move(frame.capture.tool));
}

}  // namespace bartizan
