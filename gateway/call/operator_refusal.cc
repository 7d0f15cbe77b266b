#include "gateway/call/operator_refusal.h"

#include <memory>

#include "policy/check/check_blocked.h"

namespace bartizan {
namespace {

const RevocationTable* table_of(const CallFrame& frame) {
  return frame.worker.gateway.revocations.get();
}

}  // namespace

bool has_revocations(const CallFrame& frame) {
  return table_of(frame) != nullptr && !table_of(frame)->empty();
}

Decision operator_refusal(const CallFrame& frame) {
  if (!has_revocations(frame)) return Decision::pass();
  const RevocationTable& table = *table_of(frame);
  const Reason reason = table.refusal_of(frame.principal().id, frame.inbound.caller.credential);
  if (reason != Reason::none) return Decision::deny(reason);
  if (frame.session != nullptr && table.is_session_revoked(frame.session->id)) {
    return Decision::deny(Reason::revoked);
  }
  // A subscription speaks of one of its servers after the other, and looks at them by itself.
  if (frame.method() == MethodId::subscriptions_listen) return Decision::pass();
  return blocked_by_operator(frame, frame.call);
}

Decision blocked_by_operator(const CallFrame& frame, const Call& call) {
  if (!has_revocations(frame)) return Decision::pass();
  const std::shared_ptr<const BlockedNames> blocked = table_of(frame)->blocked_names();
  return blocked == nullptr ? Decision::pass() : check_blocked(*blocked, call);
}

bool is_server_blocked_now(const CallFrame& frame, std::string_view server) {
  return is_server_blocked(table_of(frame), server);
}

Decision refusal_of_session(const CallFrame& frame) {
  const bool is_revoked =
      has_revocations(frame) && table_of(frame)->is_session_revoked(frame.inbound.session_id);
  Decision decision = Decision::deny(is_revoked ? Reason::revoked : Reason::session_unknown);
  // By that answer clients know that they have to begin anew.
  decision.is_hidden = is_revoked;
  decision.hidden_as = Reason::session_unknown;
  return decision;
}

RevocationTable::Watch watch_operators(CallFrame& frame) {
  const std::shared_ptr<RevocationTable>& table = frame.worker.gateway.revocations;
  if (table == nullptr) return {};
  return table->watch(frame.worker.loop.index(), [&frame] {
    if (!operator_refusal(frame).denies()) return;
    frame.pending->fail({ErrorCode::cancelled, Fault::gateway, "an operator ended the call"});
  });
}

}  // namespace bartizan
