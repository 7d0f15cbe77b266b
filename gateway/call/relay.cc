#include "gateway/call/relay.h"

#include <utility>

#include "gateway/call/bridge_call.h"
#include "gateway/call/clean_message.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/relayed_notification.h"
#include "gateway/call/request_rounds.h"
#include "gateway/call/validate_answer.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/restore_message.h"
#include "gateway/runtime/clock.h"
#include "gateway/worker/server_events.h"

namespace bartizan {
namespace {

/// Whether the gateway ended the call with its server, because it stops.
bool was_cut_off(const CallFrame& frame, const Error& error) {
  const bool has_no_server = error.code == ErrorCode::server_failed ||
                             error.code == ErrorCode::server_unavailable ||
                             error.code == ErrorCode::io_failed;
  return has_no_server && frame.worker.gateway.is_cutting_calls.load();
}

}  // namespace

Relay::Relay(CallFrame& frame, std::vector<Outgoing> outgoing)
    : frame_(frame), left_(outgoing.size()), verdict_(frame) {
  token_ = frame.message().progress_token.raw();
  if (frame.method() == MethodId::logging_set_level) {
    level_ = frame.message().params.find("level").text();
  }
  for (Outgoing& one : outgoing) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    auto pending =
        left_ == 1 ? frame.pending : std::make_shared<PendingCall>(frame.pending, number);
    if (frame.method() == MethodId::subscriptions_listen) pending->stand_aside();
    parts_.push_back({.to = std::move(one), .pending = std::move(pending)});
  }
}

Task<bool> Relay::send() {
  if (frame_.pending->has_ended()) {
    co_await fail({ErrorCode::cancelled, Fault::client, "cancelled before it left"});
    co_return false;
  }
  sent_at_ = coarse_now();
  frame_.findings.sent_at = sent_at_;
  for (Part& part : parts_)
    send_part(part);
  co_return true;
}

void Relay::send_part(Part& part) {
  part.bridge = bridge_to(frame_, part.to.upstream);
  if (part.bridge != nullptr) {
    part.bridge->call(std::move(part.to.request), part.pending);
  } else {
    part.to.upstream.call(std::move(part.to.request), part.pending);
  }
}

/// From now on the frame speaks of that part's server.
void Relay::speak_of(std::uint32_t part) {
  frame_.call.server = parts_[part].to.upstream.key().server;
}

bool Relay::select(const ReceivedMessage& received) {
  speak_of(received.part);
  frame_.findings.bytes_relayed += received.bytes.size();
  return !received.message.is_answer() || !parts_[received.part].is_over;
}

bool Relay::clean(ReceivedMessage& received) {
  const std::vector<std::string_view> before =
      parts_[received.part].spoken.before(received.message);
  if (frame_.task.origin == nullptr) {
    return clean_message(frame_, received, before) == RewriteOutcome::passes;
  }
  // What is said beside a task is about the tool that was called.
  CallFrame& origin = *frame_.task.origin;
  const bool passes = clean_message(origin, received, before) == RewriteOutcome::passes;
  take_findings(frame_, origin);
  return passes;
}

/// What a notification means for the gateway itself. Whether the client has had its like.
bool Relay::follow_notification(const Message& message) {
  const bool is_acknowledgement =
      message.known->id == MethodId::notifications_subscriptions_acknowledged;
  // The client will ask for a list that changed; it must not get the old one.
  if (tells_of_changed_list(message)) {
    forget_changed_list(frame_.worker, std::string(frame_.call.server), message.known->id);
  }
  return is_acknowledgement && std::exchange(is_acknowledged_, true);
}

Task<void> Relay::pass(ReceivedMessage received, bool may_pass, const Subscription* listening) {
  const Message& message = received.message;
  Part& sender = parts_[received.part];
  // A call for several servers goes on when an operator blocks one of them.
  may_pass = may_pass && !is_server_blocked_now(frame_, frame_.call.server);
  if (message.is_request() && may_pass) {
    co_return co_await relay_server_request(frame_, {sender.to.upstream, sender.bridge},
                                            std::move(received));
  }
  const bool is_repeated = follow_notification(message);
  if (message.is_request()) {
    co_await withhold_server_request(frame_, {sender.to.upstream, sender.bridge}, message);
  } else if (may_pass && !is_repeated && bartizan::may_pass(frame_, message, token_)) {
    sender.spoken.note(message);
    send_notification(frame_, listening, received, token_);
  }
  frame_.worker.loop.give_back(std::move(received.document));
}

/// What of it may not pass is not passed on, as of all news.
Task<void> Relay::pass_task(ReceivedMessage received, const Subscription& listening) {
  const std::string_view id = received.message.params.find("taskId").text();
  const auto followed = std::ranges::find_if(frame_.task.followed, [&](const auto& task) {
    return task->origin().server == frame_.call.server && task->origin().server_id == id;
  });
  const bool is_followed =
      followed != frame_.task.followed.end() && !is_server_blocked_now(frame_, frame_.call.server);
  const auto origin = is_followed ? make_origin(frame_, *followed) : nullptr;
  if (origin != nullptr) {
    const auto judged = co_await judge_call_of_task(*origin);
    const bool may_be_made = std::holds_alternative<const RuleInfo*>(judged);
    if (may_be_made && co_await may_tell(received, *origin, **followed)) {
      parts_[received.part].spoken.note(received.message);
      send_notification(frame_, &listening, received, token_);
    }
  }
  frame_.worker.loop.give_back(std::move(received.document));
}

/// Cleans news of a task, and records how its call ended where they say so. Whether they may pass.
Task<bool> Relay::may_tell(ReceivedMessage& received, CallFrame& origin, OpenTask& task) {
  // What a server asks again and again is refused singly so often in the whole subscription.
  origin.findings.refused_requests = frame_.findings.refused_requests;
  const std::vector<std::string_view> before =
      parts_[received.part].spoken.before(received.message);
  const auto cleaned = co_await clean_task(frame_, origin, task, received, before);
  frame_.findings.refused_requests = origin.findings.refused_requests;
  const std::optional<Ending> ending = std::exchange(frame_.task.ending, std::nullopt);
  if (!cleaned.has_value() || *cleaned != RewriteOutcome::passes) co_return false;
  const bool has_ended = ending.has_value() && task.is_over();
  co_return !has_ended || (co_await record_outcome(origin, *ending)).has_value();
}

Task<bool> Relay::take_answer(ReceivedMessage received, bool may_pass, Decision before) {
  if (const auto why = validate_answer(frame_, received.message)) {
    co_await fail({ErrorCode::server_failed, Fault::server, *why});
    co_return true;
  }
  if (frame_.inbound.era == Era::legacy && has_code(received.message, RpcCode::header_mismatch)) {
    co_await fail({ErrorCode::server_failed, Fault::server, "the server refused a header"});
    co_return true;
  }
  // What a task asks of the client was judged with what its call is answered.
  const bool is_judged = tells_of_task(frame_, received.message);
  if (brings_requests(received.message) && !is_judged) {
    CallFrame& asking = frame_.task.origin != nullptr ? *frame_.task.origin : frame_;
    const Decision asked = co_await judge_input_requests(asking, received.message);
    if (asked.denies()) {
      co_await refuse_answer(asked);
      co_return true;
    }
  }
  if (const auto why = seal_request_state(frame_, received)) {
    co_await fail({ErrorCode::server_failed, Fault::server, *why});
    co_return true;
  }
  // A task whose beginning may not pass is nobody's.
  if (may_pass) {
    if (auto why = open_task(frame_, received)) {
      co_await fail(*std::move(why));
      co_return true;
    }
  }
  note_end_of_task(frame_, received.message);
  if (is_acknowledgement_of_task(frame_, received.message) &&
      !empty_acknowledgement(frame_, received)) {
    co_await fail({ErrorCode::overloaded, Fault::gateway, "no memory for the acknowledgement"});
    co_return true;
  }
  parts_[received.part].is_over = true;
  if (before.denies()) {
    verdict_.withhold(std::move(before));
  } else if (may_pass) {
    verdict_.judge(received.message);
  } else {
    verdict_.withhold(Decision::deny(Reason::content_withheld));
  }
  if (!co_await end_part(received)) {
    cancel();
    answer_failure(Reason::not_recordable);
    co_return true;
  }
  merge_answer(std::move(received));
  if (--left_ > 0) co_return false;
  finish();
  co_return true;
}

/// What a server asks of the client with its answer may not be asked: the call ends with that.
Task<void> Relay::refuse_answer(const Decision& refusal) {
  cancel();
  co_await end_parts(
      {Outcome::denied, refusal.reason, denial_code(refusal.reason, frame_.inbound.era)});
  answer_failure(refusal.reason);
}

/// Records the same end of every part that has none yet.
Task<void> Relay::end_parts(Ending ending) {
  ending.at = coarse_now();
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part].is_over) continue;
    speak_of(part);
    count_client_operation(frame_, ending, sent_at_);
    leave_circuit(frame_, ending.outcome);
    co_await record_outcome(frame_, ending);
  }
}

Task<bool> Relay::end_part(const ReceivedMessage& received) {
  co_await yield_batch(frame_.worker.loop);
  Ending ending = verdict_.ending(received.message);
  ending.at = coarse_now();
  if (ending.outcome == Outcome::success) remember_followed(frame_, level_);
  frame_.findings.bytes_out = received.bytes.size();
  count_client_operation(frame_, ending, sent_at_);
  leave_circuit(frame_, ending.outcome);
  if (verdict_.withholds_everything() && withheld_for_ == Reason::none) {
    withheld_for_ = verdict_.reason();
  }
  const bool is_recorded = (co_await record_outcome(frame_, ending)).has_value();
  frame_.findings.redacted.clear();
  frame_.findings.sanitised.clear();
  co_return is_recorded;
}

/// Of several answers the client gets the first error, or else the last result.
void Relay::merge_answer(ReceivedMessage&& received) {
  const bool has_error = worst_.has_value() && worst_->message.kind == MessageKind::error_response;
  if (!has_error) worst_ = std::move(received);
}

void Relay::finish() {
  ReceivedMessage& received = *worst_;
  const Ending ending = ending_of(received.message);
  // What the server asked does not reach the client: nobody will come back for the call.
  if (verdict_.is_withheld() || withheld_for_ != Reason::none) cancel();
  const bool is_error = received.message.kind == MessageKind::error_response;
  // Only a result of a tool has a place for what is said instead.
  if (withheld_for_ != Reason::none && (is_error || frame_.method() != MethodId::tools_call)) {
    return answer_failure(withheld_for_);
  }
  Bytes& bytes = received.bytes;
  const Message& message = received.message;
  speak_of(received.part);
  Answer answer{.message = is_error ? told_error(frame_, received)
                           : verdict_.is_withheld()
                               ? verdict_.without_withheld(received)
                               : restore_result(std::move(bytes), message, frame_.id_text),
                .protocol_error = protocol_error(frame_.inbound.era, ending)};
  frame_.worker.loop.give_back(std::move(received.document));
  worst_.reset();
  // The answer with the room behind it, and the same framed for its socket.
  const std::size_t taken = answer.message.capacity() + answer.message.size();
  if (!answer.memory.hold(frame_.worker.gateway.unread, frame_.principal().id, taken)) {
    cancel();
    return answer_failure(Reason::overloaded);
  }
  frame_.exchange->finish(std::move(answer));
}

void Relay::cancel() {
  for (const Part& part : parts_) {
    if (part.bridge != nullptr) {
      part.bridge->cancel();
    } else {
      part.to.upstream.cancel(part.pending);
    }
  }
}

Task<void> Relay::fail(Error error) {
  cancel();
  const bool is_cancelled = error.code == ErrorCode::cancelled;
  const bool is_cut_off = was_cut_off(frame_, error);
  if (is_cut_off) error = {error.code, Fault::gateway, ""};
  // Of a call that an operator ends, its client is told so.
  const Reason reason = is_cancelled ? operator_refusal(frame_).reason
                        : is_cut_off ? Reason::gateway_stopped
                                     : reason_of(error);
  const Outcome outcome = is_cancelled                       ? Outcome::cancelled
                          : reason == Reason::server_timeout ? Outcome::timeout
                                                             : Outcome::failed;
  const bool is_told = reason != Reason::none;
  const std::int64_t code = is_told ? denial_code(reason, frame_.inbound.era) : 0;
  // What the gateway lacks, or the caller asked for, says nothing of the server.
  const bool is_servers = error.fault == Fault::server && error.code != ErrorCode::overloaded;
  if (!is_servers) frame_.target.circuit.reset();
  co_await end_parts({outcome, reason, code, is_own_sentence(error) ? error.detail : ""});
  if (!is_told) co_return frame_.exchange->finish({});
  answer_failure(reason, is_cancelled ? std::string_view() : error.detail);
}

Task<void> Relay::fail_task(TaskFault fault) {
  if (fault.failure.has_value()) co_return co_await fail(*std::move(fault.failure));
  const Decision refusal = Decision::deny(fault.refusal);
  co_await refuse_answer(refusal);
}

void Relay::answer_failure(Reason reason, std::string_view detail) {
  forget_begun_task(frame_);
  frame_.exchange->finish(answer_denial({.reason = reason,
                                         .decision_id = frame_.decision_id.view(),
                                         .id_json = frame_.id_text,
                                         .era = frame_.inbound.era,
                                         .trust = frame_.principal().trust,
                                         .retry_after = frame_.pending->retry_after(),
                                         .detail = detail}));
}

Task<void> relay_answers(CallFrame& frame, std::vector<Outgoing> outgoing) {
  const bool is_subscription = frame.method() == MethodId::subscriptions_listen;
  return is_subscription ? relay_subscription(frame, std::move(outgoing))
                         : relay_call(frame, std::move(outgoing));
}

}  // namespace bartizan
