#include <algorithm>
#include <utility>

#include "gateway/call/call_task.h"
#include "gateway/call/judge_skill.h"
#include "gateway/call/relay.h"
#include "gateway/call/validate_answer.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/error_code.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether somebody is known to be at work: only then may a call take longer than its timeout.
bool extends_deadline(const Message& message) {
  return message.is_request() || message.known->id == MethodId::notifications_progress;
}

/// A call that is to be answered in time, and may have to be sent once more.
class CallRelay {
 public:
  CallRelay(CallFrame& frame, std::vector<Outgoing> outgoing)
      : frame_(frame),
        relay_(frame, std::move(outgoing)),
        timeout_(frame.policy().timeout(frame.call)) {}

  Task<void> run() {
    if (!co_await relay_.send()) co_return;
    const Clock::time_point latest = relay_.sent_at() + kTimeoutsMax * timeout_;
    Clock::time_point end = relay_.sent_at() + timeout_;
    while (coarse_now() < std::min(end, latest)) {
      auto received = co_await relay_.pending().next(until(std::min(end, latest)));
      if (!received.has_value()) {
        // Unless it has ended, it is this wait that is over.
        const bool is_wait_over = !relay_.pending().has_ended();
        if (received.error().code == ErrorCode::timed_out && is_wait_over) continue;
        const Renewal renewal = co_await renew_lost(received.error());
        if (renewal == Renewal::sent) continue;
        if (renewal == Renewal::none) co_await relay_.fail(received.error());
        co_return;
      }
      if (!relay_.select(*received)) continue;
      Decision skill = Decision::pass();
      if (frame_.method() == MethodId::resources_read) {
        skill = co_await judge_skill(frame_, *received);
      }
      bool may_pass = false;
      const bool is_answer_of_task =
          received->message.is_answer() && tells_of_task(frame_, received->message);
      if (is_answer_of_task && frame_.task.origin != nullptr) {
        const auto cleaned =
            co_await clean_task(frame_, *frame_.task.origin, *frame_.task.task, *received, {});
        if (!cleaned.has_value()) co_return co_await relay_.fail_task(cleaned.error());
        may_pass = *cleaned == RewriteOutcome::passes;
      } else {
        may_pass = relay_.clean(*received);
      }
      if (!received->message.is_answer()) {
        if (extends_deadline(received->message)) end = coarse_now() + timeout_;
        co_await relay_.pass(std::move(*received), may_pass, nullptr);
        continue;
      }
      const bool is_refused_header = has_code(received->message, RpcCode::header_mismatch) &&
                                     !validate_answer(frame_, received->message).has_value();
      if (is_refused_header) {
        const Renewal renewal = co_await renew(*received);
        if (renewal == Renewal::sent) continue;
        if (renewal == Renewal::not_recordable) {
          co_return relay_.answer_failure(Reason::not_recordable);
        }
      }
      if (co_await relay_.take_answer(std::move(*received), may_pass, skill)) co_return;
    }
    const Waited waited = end < latest ? Waited::for_answer : Waited::for_end;
    co_await relay_.fail(
        {ErrorCode::timed_out, Fault::server, told_timeout(frame_, timeout_, waited)});
  }

 private:
  enum class Renewal : std::uint8_t { none, sent, refused, not_recordable };

  static std::chrono::milliseconds until(Clock::time_point end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - coarse_now());
    return std::max(left, std::chrono::milliseconds(1));
  }

  /// Sends the call once more if what the server refused was its headers. Each sending is a
  /// decision of its own, with an outcome of its own.
  Task<Renewal> renew(const ReceivedMessage& refused) {
    std::expected<Outgoing, Denial> again = co_await renew_call(frame_);
    if (!again.has_value() || relay_.pending().has_ended()) co_return Renewal::none;
    if (!co_await relay_.end_part(refused)) co_return Renewal::not_recordable;
    co_return co_await send_again(relay_.part(refused.part), *std::move(again));
  }

  /// Sends the call once more after its server has begun anew and did nothing with it: judged by
  /// what the server lists now.
  Task<Renewal> renew_lost(const Error& lost) {
    if (!relay_.pending().reopen()) co_return Renewal::none;
    std::expected<Outgoing, Denial> again = co_await renew_call(frame_);
    const bool is_denied = !again.has_value() && again.error().decision.denies();
    if (relay_.pending().has_ended() || (!again.has_value() && !is_denied)) co_return Renewal::none;
    Ending ending{Outcome::failed, reason_of(lost), 0, lost.detail};
    ending.at = coarse_now();
    count_client_operation(frame_, ending, relay_.sent_at());
    Renewal renewal = Renewal::refused;
    if (!(co_await record_outcome(frame_, ending)).has_value()) {
      renewal = Renewal::not_recordable;
    } else if (!is_denied) {
      renewal = co_await send_again(relay_.part(0), *std::move(again));
    } else {
      frame_.decision_id = frame_.worker.next_decision_id();
      tell_decision(frame_);
      co_await refuse_call(frame_, std::move(again.error()));
    }
    if (renewal == Renewal::not_recordable) relay_.answer_failure(Reason::not_recordable);
    co_return renewal;
  }

  Task<Renewal> send_again(Relay::Part& part, Outgoing again) {
    frame_.decision_id = frame_.worker.next_decision_id();
    tell_decision(frame_);
    if (!(co_await record_decision(frame_, permit_judgement(frame_))).has_value()) {
      co_return Renewal::not_recordable;
    }
    part.to = std::move(again);
    // It may have been cancelled meanwhile, which is then what comes next.
    if (!relay_.pending().has_ended()) relay_.send_part(part);
    co_return Renewal::sent;
  }

  CallFrame& frame_;
  Relay relay_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

Task<void> relay_call(CallFrame& frame, std::vector<Outgoing> outgoing) {
  CallRelay relay(frame, std::move(outgoing));
  co_await relay.run();
}

}  // namespace bartizan
