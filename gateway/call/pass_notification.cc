#include <algorithm>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// A cancellation passes only by the pending id that it names, and only its owner's: what goes to
/// the server is the gateway's own message with the server's id.
Task<void> pass_cancellation(CallFrame& frame) {
  std::shared_ptr<PendingCall> pending;
  if (frame.session != nullptr) {
    const auto found = frame.session->calls.find(frame.message().request_id.raw());
    if (found != frame.session->calls.end()) pending = found->second;
  }
  frame.call.facts.names_own_pending_request = pending != nullptr;
  // A cancellation that crosses its answer names nothing any more; that is no offence.
  if (pending == nullptr) co_return frame.exchange->finish({});
  Verdict verdict = frame.policy().judge(frame.call);
  if (auto* denial = std::get_if<Denial>(&verdict)) {
    co_return co_await refuse_call(frame, std::move(*denial));
  }
  const Result<void> recorded = co_await record_decision(frame, {.decision = "permit"});
  if (!recorded.has_value()) co_return co_await refuse_call(frame, Reason::not_recordable);
  pending->fail({ErrorCode::cancelled, Fault::client, "the client cancelled"});
  frame.exchange->finish({});
}

/// Tells every server that may ask for roots, and is not blocked, that the client's have changed.
Task<void> pass_roots_changed(CallFrame& frame) {
  // Every server is told, on record; a client that repeats itself within a second is not repeated.
  const auto now = steady_now();
  if (frame.session == nullptr || now - frame.session->roots_told < std::chrono::seconds(1)) {
    co_return frame.exchange->finish({});
  }
  frame.session->roots_told = now;
  for (const Participant& one : participants(frame)) {
    if (!allows(one.config->client_features, ClientFeature::roots)) continue;
    // In the modern era roots are asked for within a call, and nobody is told.
    if (one.upstream.key().era != frame.inbound.era) continue;
    if (is_server_blocked_now(frame, one.config->name)) continue;
    Call copy = frame.call;
    copy.server = one.config->name;
    Verdict verdict = frame.policy().judge(copy);
    if (auto* denial = std::get_if<Denial>(&verdict)) {
      co_return co_await refuse_call(frame, std::move(*denial));
    }
    frame.call.server = one.config->name;
    const Result<void> recorded = co_await record_decision(frame, {.decision = "permit"});
    if (!recorded.has_value()) co_return co_await refuse_call(frame, Reason::not_recordable);
    if (!one.upstream.tell(std::move(std::get<Permit>(verdict)), 0)) {
      co_return co_await refuse_call(frame, Reason::overloaded);
    }
  }
  frame.exchange->finish({});
}

}  // namespace

Task<void> pass_notification(CallFrame& frame) {
  if (!is_supported(*frame.message().known, frame.inbound.version, Direction::client_to_server)) {
    co_return co_await refuse_call(frame, Reason::method_not_found);
  }
  switch (frame.method()) {
    case MethodId::notifications_cancelled:
      co_return co_await pass_cancellation(frame);
    case MethodId::notifications_roots_list_changed:
      co_return co_await pass_roots_changed(frame);
    default:
      // `initialized` changes nothing here: requests are served whether it comes or not. Progress
      // of a client's is about a server's request, which the gateway has no number for.
      frame.exchange->finish({});
  }
}

}  // namespace bartizan
