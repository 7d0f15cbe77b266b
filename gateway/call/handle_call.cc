#include "gateway/call/handle_call.h"

#include <algorithm>
#include <ctime>
#include <deque>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gateway/call/ask_approval.h"
#include "gateway/call/asked_tool.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/call_task.h"
#include "gateway/call/discovery.h"
#include "gateway/call/limit_admission.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/register_tool.h"
#include "gateway/call/resolve_target.h"
#include "gateway/call/session_streams.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the server failed, and not the gateway.
bool is_outage(Reason reason) {
  return reason == Reason::server_unavailable || reason == Reason::server_failed ||
         reason == Reason::server_timeout;
}

/// The session that a legacy message names, if it is the caller's. Everything but `initialize`
/// needs one.
bool find_session(CallFrame& frame) {
  if (frame.inbound.era == Era::modern || frame.method() == MethodId::initialize) return true;
  frame.session =
      frame.worker.sessions.find(frame.inbound.session_id, owner_of(frame.inbound.caller),
                                 frame.snapshot().config.session, coarse_now());
  if (frame.session == nullptr) return false;
  ++frame.session->in_use;
  frame.session->credential = frame.inbound.caller.credential;
  // A token may say more or less of its principal than the one before.
  if (!is_outdated(frame)) frame.session->principal = frame.inbound.caller.principal;
  frame.inbound.version = frame.call.version = frame.session->version;
  return true;
}

Denial denial_of(const LimitTable::Refusal& full, const RuleInfo& limit) {
  const bool is_loop = full.lack == LimitTable::Lack::progress;
  return {"limits", Decision::deny(is_loop ? Reason::call_loop : Reason::limited, &limit)};
}

/// Brings a call that waited under the present configuration, so that nobody parks calls across a
/// revocation. Answers why its caller is not let in any more, or nothing.
Reason follow_configuration(CallFrame& frame) {
  const std::int64_t now = seconds_now();
  const bool is_anew = is_outdated(frame);
  if (!is_anew && now == frame.call.facts.now && !has_revocations(frame)) return Reason::none;
  frame.call.facts.now = now;
  if (is_anew) frame.rebind(frame.worker.snapshot);
  auto present = review_caller(frame);
  if (!present.has_value()) return present.error().reason;
  frame.inbound.caller.principal = std::move(*present);
  frame.call.principal = frame.inbound.caller.principal.get();
  return Reason::none;
}

/// A call that its client cancelled while it waited for a slot, or for people: nothing was sent.
Task<void> give_up(CallFrame& frame, Judgement judgement) {
  judgement.decision = "deny";
  // Whether its turn would have come, nobody knows.
  Judgement unknown = judgement;
  unknown.check = "gateway";
  capture_decision(frame, unknown);
  if ((co_await record_decision(frame, judgement)).has_value()) {
    co_await record_outcome(frame, {Outcome::cancelled, judgement.reason});
  }
  frame.exchange->finish({});
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
  co_await yield_batch(frame.worker.loop);
  const Judgement judgement = permit_judgement(frame);
  capture_decision(frame, judgement);
  tell_decision(frame);
  for (std::size_t i = 0; i < std::max<std::size_t>(outgoing.size(), 1); ++i) {
    if (!outgoing.empty()) frame.call.server = outgoing[i].upstream.key().server;
    if (!(co_await record_decision(frame, judgement)).has_value()) co_return false;
  }
  co_return true;
}

/// What is hidden is answered as what is missing, which during an outage is answered as that.
RefusalDetail hide_behind_outage(const CallFrame& frame, Decision& decision) {
  if (!decision.is_hidden || decision.hidden_as != Reason::tool_unknown) return {};
  if (frame.target.circuit_retry) {
    decision.hidden_as = Reason::circuit_open;
    return {.retry_after = frame.target.circuit_retry};
  }
  if (!frame.target.unavailable) return {};
  decision.hidden_as = reason_of(*frame.target.unavailable);
  return {.detail = frame.target.unavailable->detail};
}

Task<void> refuse_circuit(CallFrame& frame) {
  co_await refuse_call(frame, {"circuit", Decision::deny(Reason::circuit_open)},
                       {.retry_after = frame.target.circuit_retry});
}

/// The server was asked in vain for the tool, which counts against it like a call.
Task<void> refuse_unavailable(CallFrame& frame) {
  // The server ended with the gateway, before anything was sent.
  const bool is_stopping = frame.worker.gateway.is_cutting_calls.load();
  if (is_stopping) co_return co_await refuse_call(frame, Reason::shutting_down);
  const Reason reason = reason_of(*frame.target.unavailable);
  if (is_outage(reason)) leave_circuit(frame, Outcome::failed);
  co_await refuse_call(frame, {"gateway", Decision::deny(reason)},
                       {.detail = frame.target.unavailable->detail});
}

Task<std::optional<std::vector<Outgoing>>> find_and_judge(CallFrame& frame);

/// Refuses a call as it was judged; one whose tool nobody knows because its server could not be
/// asked, as that. Input: `news`, of a request for approval.
Task<void> refuse_judged(CallFrame& frame, Denial denial, RefusalDetail news = {}) {
  const bool lacks_tool = denial.decision.reason == Reason::tool_unknown;
  if (!news.approval.has_value() && news.detail.empty()) {
    news = hide_behind_outage(frame, denial.decision);
  }
  if (lacks_tool && frame.target.circuit_retry) co_return co_await refuse_circuit(frame);
  if (lacks_tool && frame.target.unavailable) co_return co_await refuse_unavailable(frame);
  co_await refuse_call(frame, std::move(denial), std::move(news));
}

/// So often one call is judged anew for approvals: once for each rule that wants one, and a few
/// times for reloads while it is held.
constexpr std::uint32_t kApprovalRoundsMax = 16;

/// Asks for an approval of the call, and judges it anew where there is one. Nothing where it was
/// refused, or given up.
Task<std::optional<std::vector<Outgoing>>> judge_when_approved(CallFrame& frame, Denial denial) {
  frame.target.circuit.reset();  // It is not on its way yet.
  if (++frame.approval_rounds > kApprovalRoundsMax) {
    co_await refuse_call(frame, std::move(denial));
    co_return std::nullopt;
  }
  const RuleInfo* const rule = denial.decision.rule;
  AskedApproval asked = co_await ask_approval(frame, std::move(denial));
  switch (asked.kind) {
    case AskedApproval::Kind::judge_anew:
      frame.undo_rewrites();
      frame.forget_target();
      co_return co_await find_and_judge(frame);
    case AskedApproval::Kind::refused:
      co_await refuse_judged(frame, std::move(asked.denial), std::move(asked.news));
      co_return std::nullopt;
    case AskedApproval::Kind::cancelled:
      break;
  }
  if (Decision refusal = operator_refusal(frame); refusal.denies()) {
    co_await refuse_call(frame, {"operator", std::move(refusal)});
  } else {
    co_await give_up(frame, {.reason = Reason::needs_approval,
                             .rule = rule == nullptr ? std::string_view() : rule->name,
                             .check = "approvals",
                             .detail = "cancelled while it waited for an approval"});
  }
  co_return std::nullopt;
}

/// Finds what the call is for, and judges it, unless the configuration became another one between
/// this and that: then it is found anew. Nothing where it was refused.
Task<std::optional<std::vector<Outgoing>>> find_and_judge(CallFrame& frame) {
  forget_facts(frame);
  while (true) {
    co_await resolve_target(frame);
    enter_circuit(frame);
    co_await find_tool(frame);
    co_await judge_origin(frame);
    co_await yield_batch(frame.worker.loop);
    const bool is_found = !is_outdated(frame);
    Reason reason = follow_configuration(frame);
    if (reason == Reason::none && is_found) reason = ambiguity_of(frame);
    if (reason == Reason::none && is_found) reason = prepare_call(frame);
    if (reason != Reason::none) {
      co_await refuse_call(frame, reason);
      co_return std::nullopt;
    }
    if (!is_found) continue;
    std::vector<FactQuery> questions = unresolved_facts(frame);
    if (questions.empty()) break;
    co_await gather_facts(frame, std::move(questions));
    frame.undo_rewrites();
    frame.forget_target();
  }
  follow_chain(frame);
  auto judged = judge_call(frame);
  if (auto* denial = std::get_if<Denial>(&judged)) {
    const bool is_told = !denial->decision.is_hidden;
    if (is_told && denial->decision.reason == Reason::needs_approval) {
      co_return co_await judge_when_approved(frame, std::move(*denial));
    }
    co_await refuse_judged(frame, std::move(*denial));
    co_return std::nullopt;
  }
  if (frame.task.refusal.has_value()) {
    co_await refuse_call(frame, *std::move(frame.task.refusal));
    co_return std::nullopt;
  }
  // What answers a task's questions goes where its call went.
  const bool answers_task = frame.method() == MethodId::tasks_update && frame.task.origin;
  const Call& call = answers_task ? frame.task.origin->call : frame.call;
  Decision flow = judge_flow(frame, frame.policy().labels(call));
  if (flow.denies()) {
    Denial denial{"flows", std::move(flow)};
    if (denial.decision.reason == Reason::needs_approval && !answers_task) {
      co_return co_await judge_when_approved(frame, std::move(denial));
    }
    co_await refuse_call(frame, std::move(denial));
    co_return std::nullopt;
  }
  if (Decision misfit = check_asked_tool(frame); misfit.denies()) {
    co_await refuse_call(frame, {"asked_tool", std::move(misfit)});
    co_return std::nullopt;
  }
  if (frame.target.circuit_retry) {
    co_await refuse_circuit(frame);
    co_return std::nullopt;
  }
  co_return std::get<std::vector<Outgoing>>(std::move(judged));
}

/// Judges the call, and takes what limits ask of it: in its turn, and then judged once more.
/// Nothing where it was refused.
Task<std::optional<std::vector<Outgoing>>> judge_and_take(CallFrame& frame, LimitAdmission& turn) {
  auto outgoing = co_await find_and_judge(frame);
  if (outgoing.has_value()) co_await yield_batch(frame.worker.loop);
  while (outgoing.has_value()) {
    capture_turn(frame);
    // What goes to several servers, or is answered here, does not wait.
    const bool may_wait = outgoing->size() == 1;
    const SharedLimits::Answer answer = turn.take(may_wait);
    if (std::holds_alternative<SharedLimits::Taken>(answer)) {
      capture_taken(frame);
      break;
    }
    const std::vector<CountedLimit>& limits = frame.policy().limits().limits();
    if (const auto* full = std::get_if<LimitTable::Refusal>(&answer)) {
      const RuleInfo limit{.name = limits[full->limit].name};
      co_await refuse_call(frame, denial_of(*full, limit), {.retry_after = full->retry_after});
      co_return std::nullopt;
    }
    const RuleInfo limit{.name = limits[std::get<SharedLimits::Waits>(answer).limit].name};
    frame.target.circuit.reset();  // It is not on its way yet.
    co_await turn.wait();
    if (frame.pending->has_ended()) {
      if (Decision refusal = operator_refusal(frame); refusal.denies()) {
        co_await refuse_call(frame, {"operator", std::move(refusal)});
      } else {
        co_await give_up(frame, {.reason = Reason::limited,
                                 .rule = limit.name,
                                 .check = "limits",
                                 .detail = "cancelled while it waited"});
      }
      co_return std::nullopt;
    }
    // Its permit ends here: it is found and judged anew, as it came in, approvals included.
    outgoing.reset();
    frame.forget_approvals();
    frame.undo_rewrites();
    frame.forget_target();
    outgoing = co_await find_and_judge(frame);
  }
  co_return outgoing;
}

/// For whoever approves a later call of the session.
void remember_call(const CallFrame& frame) {
  if (frame.session == nullptr || frame.policy().approval_terms().empty()) return;
  std::deque<std::string>& calls = frame.session->calls_before;
  if (calls.size() >= limits::calls_before_max) calls.pop_front();
  calls.push_back(fmt::format("{:%H:%M:%S} {} {}/{}",
                              fmt::gmtime(static_cast<std::time_t>(frame.call.facts.now)),
                              frame.method_name(), frame.call.server, frame.call.target));
}

}  // namespace

bool is_outdated(const CallFrame& frame) {
  return is_outdated(frame.worker, frame.inbound.snapshot);
}

bool is_outdated(const Worker& worker, const SnapshotPtr& snapshot) {
  const SnapshotPtr& present = worker.snapshot;
  if (present == snapshot) return false;
  return present->policy->digest() != snapshot->policy->digest() ||
         present->servers != snapshot->servers ||
         present->config.registrations != snapshot->config.registrations;
}

void tell_decision(CallFrame& frame) {
  // Clients of MCP are told no decision, and nobody looks up for them what the tool asks for.
  if (frame.inbound.groundhog == nullptr || frame.method() != MethodId::tools_call) return;
  frame.exchange->on_decision(frame.decision_id.view(),
                              frame.policy().profiles().find(frame.call)->permissions);
}

Task<void> handle_call(Worker& worker, std::unique_ptr<Inbound> inbound,
                       std::shared_ptr<Exchange> exchange) {
  std::optional<ToolSearch> search;
  Reason untranslated = Reason::none;
  if (is_searched(*inbound->snapshot, inbound->caller.credential.endpoint)) {
    untranslated = translate_search(worker, *inbound, search);
  }
  if (inbound->groundhog != nullptr) search = search_of(*inbound->groundhog);
  CallFrame frame(worker, std::move(inbound), std::move(exchange));
  frame.search = std::move(search);
  if (untranslated != Reason::none) co_return co_await refuse_call(frame, untranslated);
  if (!find_session(frame)) {
    co_return co_await refuse_call(frame, {"gateway", refusal_of_session(frame)});
  }
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

  // Who has been refused too often is not judged.
  if (worker.gateway.refusals.is_spent(frame.principal().id, coarse_now())) {
    co_return frame.exchange->finish(answer_limited(frame));
  }
  if (registers_tool(frame)) co_return co_await register_tool(frame);
  if (!is_supported(*frame.message().known, frame.inbound.version, Direction::client_to_server)) {
    co_return co_await refuse_call(frame, Reason::method_not_found);
  }
  const bool takes_time = !is_answered_here(frame.method()) || is_list(frame.method());
  if (takes_time && !expect_answer(frame)) {
    co_return co_await refuse_call(frame, Reason::invalid_request);  // The id is in use.
  }
  const RevocationTable::Watch watch =
      takes_time ? watch_operators(frame) : RevocationTable::Watch();
  if (is_list(frame.method())) {
    co_await await_servers(frame);
    if (const Reason reason = follow_configuration(frame); reason != Reason::none) {
      co_return co_await refuse_call(frame, reason);
    }
  }
  begin_capture(frame);
  LimitAdmission turn(frame);
  auto outgoing = co_await judge_and_take(frame, turn);
  if (!outgoing.has_value()) co_return;

  if (auto refusal = co_await use_approvals(frame)) {
    co_return co_await refuse_call(frame, *std::move(refusal));
  }
  if (!co_await record_permit(frame, *outgoing)) {
    co_return co_await refuse_call(frame, Reason::not_recordable);
  }
  if (is_answered_here(frame.method())) co_return co_await answer_here(frame);
  if (const auto why = refusal_of_target(frame, *outgoing)) {
    co_return co_await refuse_call(frame, *why);
  }
  remember_call(frame);
  if (!follow_flow(frame).has_value()) co_return co_await refuse_call(frame, Reason::overloaded);
  offer_resumption(frame, outgoing->front().request.permit.bytes());
  co_await relay_answers(frame, std::move(*outgoing));
}

}  // namespace bartizan
