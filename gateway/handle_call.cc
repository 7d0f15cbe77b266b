#include "gateway/handle_call.h"

#include <algorithm>
#include <utility>

#include "gateway/answer_denial.h"
#include "gateway/call_steps.h"
#include "gateway/resolve_target.h"
#include "gateway/session_streams.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// When somebody who is refused over and over may be judged again.
constexpr std::chrono::seconds kRefusalPause{1};

/// The session that a legacy message names, if it is the caller's. Everything but `initialize`
/// needs one.
bool find_session(CallFrame& frame) {
  if (frame.inbound.era == Era::modern || frame.method() == MethodId::initialize) return true;
  frame.session = frame.worker.sessions.find(frame.inbound.session_id, frame.principal().id,
                                             frame.snapshot().config.session, Clock::now());
  if (frame.session == nullptr) return false;
  ++frame.session->in_use;
  frame.session->credential = frame.inbound.caller.credential;
  frame.inbound.version = frame.call.version = frame.session->version;
  return true;
}

/// The slots and tokens that a call took; the frame gives the slots back.
class TakenLimits {
 public:
  TakenLimits(LimitGuard& guard, const LimitSet& set, std::vector<LimitSet::Draw> draws)
      : guard_(&guard), set_(&set), draws_(std::move(draws)) {}
  TakenLimits(const TakenLimits&) = delete;
  TakenLimits& operator=(const TakenLimits&) = delete;
  ~TakenLimits() { guard_->give_back(*set_, draws_); }

 private:
  LimitGuard* guard_;
  const LimitSet* set_;
  std::vector<LimitSet::Draw> draws_;
};

std::vector<LimitSet::Draw> draws_of(CallFrame& frame) {
  // What the gateway repeats was charged when the client asked for it.
  if (!frame.inbound.only_server.empty()) return {};
  const LimitSet& limits = frame.policy().limits();
  LimitFacts facts{.session = frame.inbound.session_id,
                   .address = address_of(frame.inbound.source)};
  if (limits.needs_argument_digest() && frame.message().arguments) {
    facts.arguments = frame.worker.gateway.digest.digest(frame.message().arguments.raw());
  }
  return limits.draws(frame.call, facts);
}

/// Brings a call that waited under the present configuration, so that nobody parks calls across a
/// revocation. Answers why its caller is not let in any more, or nothing.
Reason follow_configuration(CallFrame& frame) {
  const std::int64_t now = seconds_now();
  const bool is_anew = is_outdated(frame);
  if (!is_anew && now == frame.call.facts.now) return Reason::none;
  frame.call.facts.now = now;
  const Snapshot& present = *frame.worker.snapshot;
  if (is_anew) frame.begin_anew(frame.worker.snapshot);
  const std::string& id = frame.principal().id;
  const Principal* principal = frame.policy().find_principal(id);
  if (principal == nullptr) return Reason::principal_unknown;
  if (!present.authenticator.still_proves(frame.inbound.caller.credential, id, now)) {
    return Reason::credentials_invalid;
  }
  frame.inbound.caller.principal = frame.call.principal = principal;
  return Reason::none;
}

/// Makes the place where answers will arrive, so that a client can cancel from now on. False when
/// the session has a request of that id in progress.
bool expect_answer(CallFrame& frame) {
  frame.pending = std::make_shared<PendingCall>(frame.worker.loop);
  if (frame.session != nullptr &&
      !frame.session->calls.emplace(frame.id_text, frame.pending).second) {
    frame.pending = nullptr;
    return false;
  }
  frame.exchange->on_cancel([pending = frame.pending] {
    pending->fail({ErrorCode::cancelled, Fault::client, "the client went away"});
  });
  return true;
}

/// One decision record for each server that the call goes to, or one for a call answered here.
Task<bool> record_permit(CallFrame& frame, const std::vector<Outgoing>& outgoing) {
  const Judgement judgement = permit_judgement(frame);
  for (std::size_t i = 0; i < std::max<std::size_t>(outgoing.size(), 1); ++i) {
    if (!outgoing.empty()) frame.call.server = outgoing[i].upstream.key().server;
    if (!(co_await record_decision(frame, judgement)).has_value()) co_return false;
  }
  co_return true;
}

}  // namespace

bool is_outdated(const CallFrame& frame) {
  return is_outdated(frame.worker, frame.inbound.snapshot);
}

bool is_outdated(const Worker& worker, const SnapshotPtr& snapshot) {
  const SnapshotPtr& present = worker.snapshot;
  if (present == snapshot) return false;
  return present->config.digest != snapshot->config.digest || present->servers != snapshot->servers;
}

Task<void> handle_call(Worker& worker, Inbound inbound, std::shared_ptr<Exchange> exchange) {
  CallFrame frame(worker, std::move(inbound), std::move(exchange));
  if (!find_session(frame)) co_return co_await refuse_call(frame, Reason::session_unknown);
  // It may have waited for its turn on this worker.
  if (const Reason reason = follow_configuration(frame); reason != Reason::none) {
    co_return co_await refuse_call(frame, reason);
  }
  // The header said which revision has the batch; the session has agreed on one.
  if (frame.inbound.in_batch && !allows_batches(frame.inbound.version)) {
    co_return co_await refuse_call(frame, Reason::invalid_request);
  }
  if (frame.message().is_answer()) co_return co_await pass_answer(frame);
  if (frame.message().is_notification()) co_return co_await pass_notification(frame);

  if (worker.gateway.refusals.is_spent(frame.principal().id, Clock::now())) {
    co_return frame.exchange->finish(answer_denial({.reason = Reason::limited,
                                                    .decision_id = frame.decision_id.view(),
                                                    .id_json = frame.id_text,
                                                    .era = frame.inbound.era,
                                                    .trust = frame.principal().trust,
                                                    .retry_after = kRefusalPause}));
  }
  if (!is_spoken(*frame.message().known, frame.inbound.version, Direction::client_to_server)) {
    co_return co_await refuse_call(frame, Reason::method_not_found);
  }
  if (!is_answered_here(frame.method()) && !expect_answer(frame)) {
    co_return co_await refuse_call(frame, Reason::invalid_request);  // The id is in use.
  }
  for (bool is_found = false; !is_found;) {
    co_await resolve_target(frame);
    co_await find_tool(frame);
    is_found = !is_outdated(frame);
    if (const Reason reason = follow_configuration(frame); reason != Reason::none) {
      co_return co_await refuse_call(frame, reason);
    }
  }
  if (!prepare_call(frame).has_value()) {
    co_return co_await refuse_call(frame, Reason::invalid_params);
  }
  auto judged = judge_call(frame);
  if (auto* denial = std::get_if<Denial>(&judged)) {
    if (frame.unavailable.has_value() && denial->decision.reason == Reason::tool_unknown) {
      const Reason reason = reason_of(*frame.unavailable);
      co_return co_await refuse_call(frame, {"gateway", Decision::deny(reason)},
                                     {.detail = frame.unavailable->detail});
    }
    co_return co_await refuse_call(frame, std::move(*denial));
  }
  auto& outgoing = std::get<std::vector<Outgoing>>(judged);

  std::vector<LimitSet::Draw> draws = draws_of(frame);
  const LimitSet& limits = frame.policy().limits();
  if (const auto full = worker.gateway.limits.take(limits, draws)) {
    const RuleInfo limit{.name = limits.limits()[full->limit].name};
    co_return co_await refuse_call(frame, {"limits", Decision::deny(Reason::limited, &limit)},
                                   {.retry_after = full->retry_after});
  }
  const TakenLimits taken(worker.gateway.limits, limits, std::move(draws));

  if (!co_await record_permit(frame, outgoing)) {
    co_return co_await refuse_call(frame, Reason::not_recordable);
  }
  if (is_answered_here(frame.method())) co_return co_await answer_here(frame);
  if (const auto why = refusal_of_target(frame, outgoing)) {
    co_return co_await refuse_call(frame, *why);
  }
  offer_resumption(frame, outgoing.front().request.permit.bytes());
  co_await relay_answers(frame, std::move(outgoing));
}

}  // namespace bartizan
