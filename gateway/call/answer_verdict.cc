#include "gateway/call/answer_verdict.h"

#include <array>
#include <string_view>
#include <utility>

#include "gateway/call/validate_answer.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/restore_message.h"
#include "gateway/message/server_error.h"
#include "gateway/runtime/log.h"

namespace bartizan {

void AnswerVerdict::judge(const Message& answer) {
  result_verdict_ = Decision::pass();
  withheld_ = Policy::Withheld::nothing;
  // A task has no result yet.
  if (frame_.method() != MethodId::tools_call || frame_.target.tool == nullptr) return;
  if (frame_.task.task != nullptr) return;
  const Policy& policy = frame_.policy();
  result_verdict_ = answer.kind == MessageKind::response
                        ? policy.judge_result(frame_.call, *frame_.target.tool, answer.result)
                        : policy.judge_error(frame_.call, answer.error);
  if (!result_verdict_.denies()) return;
  withheld_ = policy.withheld(frame_.call.server, frame_.target.tool->name, result_verdict_);
  if (withheld_ == Policy::Withheld::excess) {
    truncated_ = policy.truncate(frame_.call.server, *frame_.target.tool, frame_.inbound.version,
                                 answer.result);
  }
  log_misfit();
  frame_.worker.loop.metrics().add(
      Metric::results_invalid,
      std::array<std::string_view, 3>{frame_.call.server, frame_.call.target, told_withheld()});
}

void AnswerVerdict::withhold(Decision why) {
  result_verdict_ = std::move(why);
  withheld_ = Policy::Withheld::everything;
  log_misfit();
}

/// As the metric and the log say it.
std::string_view AnswerVerdict::told_withheld() const {
  if (withheld_ == Policy::Withheld::excess) return "truncated";
  return is_withheld() ? "withheld" : "passed";
}

void AnswerVerdict::log_misfit() const {
  log(LogLevel::warning,
      is_withheld() ? "result " + std::string(told_withheld()) : "result does not fit",
      {{"server", std::string(frame_.call.server)},
       {"tool", std::string(frame_.call.target)},
       {"detail", detail_of(frame_, result_verdict_)},
       {"decision", std::string(frame_.decision_id.view())}});
}

Ending AnswerVerdict::ending(const Message& answer) const {
  if (frame_.task.ending.has_value() && !is_withheld()) return *frame_.task.ending;
  Ending ending = ending_of(answer);
  const bool is_error = answer.kind == MessageKind::error_response;
  if (is_error && tells_errors_by_trust(frame_)) ending.detail = recorded_error(answer);
  if (!result_verdict_.denies()) return ending;
  ending.detail = detail_of(frame_, result_verdict_);
  if (withheld_ == Policy::Withheld::excess) {
    ending.reason = result_verdict_.reason;
    ending.detail.insert(0, kTruncated);
    if (truncated_.lacks_structured_content) ending.outcome = Outcome::tool_error;
  } else if (is_withheld()) {
    const bool is_result =
        answer.kind == MessageKind::response && frame_.method() == MethodId::tools_call;
    if (!is_unjudged()) ending.outcome = is_result ? Outcome::tool_error : Outcome::denied;
    if (!is_result) ending.rpc_code = denial_code(result_verdict_.reason, frame_.inbound.era);
    ending.reason = result_verdict_.reason;
  } else {
    ending.would = result_verdict_.reason;
  }
  return ending;
}

std::string AnswerVerdict::without_withheld(const ReceivedMessage& received) const {
  const DenialAnswer why{.reason = result_verdict_.reason,
                         .pointer = result_verdict_.pointer,
                         .decision_id = frame_.decision_id.view(),
                         .era = frame_.inbound.era,
                         .trust = frame_.principal().trust,
                         .violations = &result_verdict_.violations,
                         .version = frame_.inbound.version};
  if (withheld_ == Policy::Withheld::excess) {
    return restore_truncated(received, frame_.id_text, withheld_note(why), truncated_);
  }
  const auto restore = withheld_ == Policy::Withheld::everything ? restore_without_result
                       : is_unjudged()                           ? restore_without_unjudged_content
                                       : restore_without_structured_content;
  return restore(received, frame_.id_text, withheld_note(why), withheld_content(why));
}

}  // namespace bartizan
