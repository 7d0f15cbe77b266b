#include <optional>
#include <string>
#include <utility>

#include "gateway/call/ask_approval.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/needed_scopes.h"
#include "gateway/call/warn_of_path.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// When somebody who was refused too often may be judged again.
constexpr std::chrono::seconds kRefusalPause{1};

Outcome outcome_of(Reason reason) {
  if (reason == Reason::server_timeout) return Outcome::timeout;
  const bool is_failure = reason == Reason::server_unavailable || reason == Reason::server_failed;
  return is_failure ? Outcome::failed : Outcome::denied;
}

/// Whether the caller brought the refusal on itself: an outage of one server must not use up what
/// it may ask of the others.
bool is_verdict(Reason reason) {
  return reason == Reason::limited || reason == Reason::call_loop ||
         (category(reason) != ReasonCategory::system && reason != Reason::session_unknown);
}

/// `approval ID`, and what kept another one from counting.
std::string detail_of_approval(const ApprovalNews& approval, const std::string& difference) {
  const std::string detail = "approval " + approval.id;
  return difference.empty() ? detail : detail + "; " + difference;
}

}  // namespace

Answer answer_limited(const CallFrame& frame) {
  return answer_denial({.reason = Reason::limited,
                        .id_json = frame.id_text,
                        .era = frame.inbound.era,
                        .trust = frame.principal().trust,
                        .retry_after = kRefusalPause});
}

Task<void> refuse_call(CallFrame& frame, Denial denial, RefusalDetail news) {
  const Decision& decision = denial.decision;
  // Others may be tried while this is recorded.
  frame.target.circuit.reset();
  RefusalQuota& refusals = frame.worker.gateway.refusals;
  const auto now = steady_now();
  // A refusal is recorded and told, or it is only counted: a flood of them must not fill the
  // record.
  const bool is_charged = is_verdict(decision.reason);
  const bool is_recorded = is_charged ? refusals.take(frame.principal().id, now)
                                      : !refusals.is_spent(frame.principal().id, now);
  std::string detail = detail_of(frame, decision);
  if (!news.record_detail.empty() && detail.empty()) detail = news.record_detail;
  if (news.approval.has_value()) detail = detail_of_approval(*news.approval, news.record_detail);
  const std::optional<NeededScopes> needed =
      news.status == nullptr ? find_needed_scopes(frame, decision) : std::nullopt;
  if (detail.empty() && needed.has_value()) detail = needed->detail;
  capture_decision(frame,
                   {.decision = "deny",
                    .reason = decision.reason,
                    .rule = decision.rule_name(),
                    .check = denial.check},
                   decision.pointer);
  if (!is_recorded && is_charged && frame.message().is_request()) {
    co_return frame.exchange->finish(answer_limited(frame));
  }
  const bool is_quarantined = decision.reason == Reason::tool_quarantined;
  const std::string resource = in_form(frame.target.uri_form, frame.call.server, frame.call.target);
  const ApprovalNews approval = news.approval.value_or(ApprovalNews());
  const DenialAnswer told{.reason = decision.reason,
                          .rule = decision.rule,
                          .is_hidden = decision.is_hidden,
                          .hidden_as = decision.hidden_as,
                          .pointer = decision.pointer,
                          .permission = decision.permission,
                          .outside = decision.outside,
                          .decision_id = is_recorded ? frame.decision_id.view() : "",
                          .id_json = frame.id_text,
                          .era = frame.inbound.era,
                          .trust = frame.principal().trust,
                          .is_tool_call = frame.method() == MethodId::tools_call,
                          .kind = frame.call.target_kind,
                          .resource = resource,
                          .retry_after = news.retry_after,
                          .approval_id = approval.id,
                          .approval_url = approval.url,
                          .detail = is_quarantined ? detail : news.detail,
                          .violations = &decision.violations,
                          .version = frame.inbound.version};
  Answer answer = answer_denial(told);
  answer.status = needed.has_value() ? needed->status : news.status;
  if (auto asking = answer_asking(frame, approval, denial_sentence(told), denial_data(told))) {
    answer = *std::move(asking);
  }
  // Nobody is owed an error for a notification, and a refused one has no effect to record first.
  if (frame.message().is_notification()) answer.message.clear();
  if (frame.message().is_answer()) {
    // Its id is the server's number; under it the client may wait for something else.
    answer = frame.inbound.in_batch ? Answer()
                                    : answer_protocol_error(ErrorCode::invalid_request,
                                                            message_of(decision.reason), "");
  }
  if (!is_recorded) co_return frame.exchange->finish(std::move(answer));
  warn_of_path(frame, decision.reason);
  frame.findings.bytes_out = answer.message.size();
  const std::optional<Risk> risk = decision.rule == nullptr ? std::nullopt : decision.rule->risk;
  // Where nothing can be recorded, the record that failed was counted, and a gap record has the
  // count.
  if (decision.reason != Reason::not_recordable) {
    // A refusal that cannot be recorded is a refusal still; it is counted for the gap record.
    const Result<void> recorded = co_await record_decision(frame, {.decision = "deny",
                                                                   .reason = decision.reason,
                                                                   .rule = decision.rule_name(),
                                                                   .check = denial.check,
                                                                   .detail = detail,
                                                                   .observed = &denial.observed,
                                                                   .risk = risk});
    if (recorded.has_value()) {
      co_await record_outcome(frame, {outcome_of(decision.reason), decision.reason,
                                      denial_code(decision.reason, frame.inbound.era)});
    }
  }
  frame.exchange->finish(std::move(answer));
}

Task<void> refuse_call(CallFrame& frame, Reason reason) {
  co_await refuse_call(frame, Denial{"gateway", Decision::deny(reason)});
}

}  // namespace bartizan
