#include <algorithm>
#include <array>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/clean_message.h"
#include "gateway/call/relayed_notification.h"
#include "gateway/call/spoken_words.h"
#include "gateway/call/subscription.h"
#include "gateway/call/usable_answer.h"
#include "gateway/message/answer_denial.h"
#include "gateway/message/restore_message.h"
#include "gateway/message/server_error.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/worker/server_events.h"
#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// A subscription lasts as long as its client listens; this often it looks whether the gateway
/// still does.
constexpr std::chrono::seconds kSubscriptionWait{1};

/// Whether somebody is known to be at work: only then may a call take longer than its timeout.
bool puts_end_off(const Message& message) {
  return message.is_request() || message.known->id == MethodId::notifications_progress;
}

/// One call on its way: what it waits for, and what ends it. Almost every call goes to one server;
/// a subscription and a log level go to all of them, and each is recorded apart.
class Relay {
 public:
  Relay(CallFrame& frame, std::vector<Outgoing> outgoing)
      : frame_(frame),
        pending_(frame.pending),
        left_(outgoing.size()),
        is_subscription_(frame.method() == MethodId::subscriptions_listen) {
    token_ = frame.message().progress_token.raw();
    if (frame.method() == MethodId::logging_set_level) {
      level_ = frame.message().params.find("level").text();
    }
    if (is_subscription_) subscription_.emplace(frame, left_);
    timeout_ = is_subscription_ ? kSubscriptionWait : frame.policy().timeout(frame.call);
    for (Outgoing& one : outgoing) {
      const auto part = static_cast<std::uint32_t>(parts_.size());
      auto pending = left_ == 1 ? pending_ : std::make_shared<PendingCall>(pending_, part);
      parts_.push_back({std::move(one), std::move(pending), false});
    }
  }

  Task<void> run() {
    // Cancelled before it left: no server ever hears of it.
    if (pending_->has_ended()) {
      co_return co_await fail({ErrorCode::cancelled, Fault::client, "cancelled before it left"});
    }
    sent_at_ = coarse_now();
    const Clock::time_point latest = sent_at_ + kTimeoutsMax * timeout_;
    Clock::time_point end = sent_at_ + timeout_;
    for (Part& part : parts_)
      part.to.upstream.call(std::move(part.to.request), part.pending);
    while (coarse_now() < std::min(end, latest) || is_subscription_) {
      Result<ReceivedMessage> received =
          co_await pending_->next(is_subscription_ ? timeout_ : until(std::min(end, latest)));
      if (is_subscription_ && frame_.worker.gateway.draining.load(std::memory_order_relaxed)) {
        co_return co_await end_subscription();
      }
      if (is_subscription_ && !co_await follow_configuration()) {
        co_return co_await end_subscription();
      }
      if (!received.has_value()) {
        // Unless it has ended, it is this wait that is over.
        const bool is_wait_over = is_subscription_ || !pending_->has_ended();
        if (received.error().code == ErrorCode::timed_out && is_wait_over) continue;
        const Renewal renewal = co_await renew_lost(received.error());
        if (renewal == Renewal::sent) continue;
        if (renewal == Renewal::none) co_await fail(received.error());
        co_return;
      }
      select(received->part);
      frame_.bytes_relayed += received->bytes.size();
      if (received->message.is_answer() && parts_[received->part].is_over) continue;
      const std::vector<std::string_view> before =
          parts_[received->part].spoken.before(received->message);
      const bool is_withheld = clean_message(frame_, *received, before) == Passage::withheld;
      if (!received->message.is_answer()) {
        if (puts_end_off(received->message)) end = coarse_now() + timeout_;
        co_await (is_withheld ? withhold(std::move(*received)) : pass(std::move(*received)));
        continue;
      }
      if (const auto why = unusable(frame_.inbound.era, received->message)) {
        co_return co_await fail({ErrorCode::server_failed, Fault::server, *why});
      }
      if (has_code(received->message, RpcCode::header_mismatch)) {
        const Renewal renewal = co_await renew(*received);
        if (renewal == Renewal::sent) continue;
        if (renewal == Renewal::not_recordable) co_return answer_failure(Reason::not_recordable);
      }
      if (brings_requests(received->message)) {
        const Decision asked = co_await judge_input_requests(frame_, received->message);
        if (asked.denies()) co_return co_await refuse_answer(asked);
      }
      parts_[received->part].is_over = true;
      misfit_ = Decision::pass();
      withheld_ = Policy::Withheld::nothing;
      if (is_withheld) {
        withhold_answer();
      } else {
        judge_result(received->message);
      }
      if (!co_await end_part(*received)) co_return answer_failure(Reason::not_recordable);
      keep_worst(std::move(*received));
      if (--left_ == 0) co_return finish();
    }
    const Waited waited = end < latest ? Waited::for_answer : Waited::for_end;
    co_await fail({ErrorCode::timed_out, Fault::server, told_timeout(frame_, timeout_, waited)});
  }

 private:
  struct Part {
    Outgoing to;
    std::shared_ptr<PendingCall> pending;
    bool is_over;
    SpokenWords spoken = {};  ///< That were passed on.
  };

  enum class Renewal : std::uint8_t { none, sent, refused, not_recordable };

  static std::chrono::milliseconds until(Clock::time_point end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - coarse_now());
    return std::max(left, std::chrono::milliseconds(1));
  }

  /// Sends the call once more if what the server refused was its headers. Each sending is a
  /// decision of its own, with an outcome of its own.
  Task<Renewal> renew(const ReceivedMessage& refused) {
    std::expected<Outgoing, Denial> again = co_await renew_call(frame_);
    if (!again.has_value() || pending_->has_ended()) co_return Renewal::none;
    if (!co_await end_part(refused)) co_return Renewal::not_recordable;
    co_return co_await send_again(parts_[refused.part], *std::move(again));
  }

  /// Sends the call once more after its server has begun anew and did nothing with it: judged by
  /// what the server lists now.
  Task<Renewal> renew_lost(const Error& lost) {
    if (!pending_->reopen()) co_return Renewal::none;
    std::expected<Outgoing, Denial> again = co_await renew_call(frame_);
    const bool is_denied = !again.has_value() && again.error().decision.denies();
    if (pending_->has_ended() || (!again.has_value() && !is_denied)) co_return Renewal::none;
    Ending ending{Outcome::failed, reason_of(lost), 0, lost.detail};
    ending.at = coarse_now();
    count_client_operation(frame_, ending, sent_at_);
    Renewal renewal = Renewal::refused;
    if (!(co_await record_outcome(frame_, ending)).has_value()) {
      renewal = Renewal::not_recordable;
    } else if (!is_denied) {
      renewal = co_await send_again(parts_.front(), *std::move(again));
    } else {
      frame_.decision_id = frame_.worker.next_decision_id();
      co_await refuse_call(frame_, std::move(again.error()));
    }
    if (renewal == Renewal::not_recordable) answer_failure(Reason::not_recordable);
    co_return renewal;
  }

  Task<Renewal> send_again(Part& part, Outgoing again) {
    frame_.decision_id = frame_.worker.next_decision_id();
    if (!(co_await record_decision(frame_, permit_judgement(frame_))).has_value()) {
      co_return Renewal::not_recordable;
    }
    part.to = std::move(again);
    // It may have been cancelled meanwhile, which is then what comes next.
    if (!pending_->has_ended()) part.to.upstream.call(std::move(part.to.request), part.pending);
    co_return Renewal::sent;
  }

  /// From now on the frame speaks of that part's server.
  void select(std::uint32_t part) { frame_.call.server = parts_[part].to.upstream.key().server; }

  /// What a notification means for the gateway itself. Whether the client has had its like.
  bool follow_notification(const Message& message) {
    const bool is_acknowledgement =
        message.known->id == MethodId::notifications_subscriptions_acknowledged;
    // The client will ask for a list that changed; it must not get the old one.
    if (tells_of_changed_list(message)) {
      forget_changed_list(frame_.worker, std::string(frame_.call.server), message.known->id);
    }
    return is_acknowledgement && std::exchange(acknowledged_, true);
  }

  Task<void> pass(ReceivedMessage received) {
    const Message& message = received.message;
    const UpstreamHandle& sender = parts_[received.part].to.upstream;
    if (message.is_request()) {
      co_return co_await relay_server_request(frame_, sender, std::move(received));
    }
    const bool is_repeated = follow_notification(message);
    if (message.is_notification() && !is_repeated && may_pass(frame_, message, token_)) {
      parts_[received.part].spoken.note(message);
      const Subscription* listening = subscription_.has_value() ? &*subscription_ : nullptr;
      send_notification(frame_, listening, received, token_);
    }
    frame_.worker.loop.give_back(std::move(received.document));
  }

  /// Nobody gets it: a notification is not passed on, and a request is refused.
  Task<void> withhold(ReceivedMessage received) {
    follow_notification(received.message);
    if (received.message.is_request()) {
      const UpstreamHandle& sender = parts_[received.part].to.upstream;
      co_await withhold_server_request(frame_, sender, received.message);
    }
    frame_.worker.loop.give_back(std::move(received.document));
  }

  /// Nothing of an answer may pass.
  void withhold_answer() {
    misfit_ = Decision::deny(Reason::content_withheld);
    withheld_ = Policy::Withheld::everything;
    log_misfit();
  }

  /// Whether a tool's result, or its error, may be passed on as it is.
  void judge_result(const Message& answer) {
    if (!is_tool_call() || frame_.tool == nullptr) return;
    const Policy& policy = frame_.policy();
    misfit_ = answer.kind == MessageKind::response
                  ? policy.judge_result(frame_.call, *frame_.tool, answer.result)
                  : policy.judge_error(frame_.call, answer.error);
    if (!misfit_.denies()) return;
    withheld_ = policy.withheld(frame_.call.server, frame_.tool->name, misfit_);
    if (withheld_ == Policy::Withheld::excess) {
      truncated_ =
          policy.truncate(frame_.call.server, *frame_.tool, frame_.inbound.version, answer.result);
    }
    log_misfit();
    frame_.worker.loop.metrics().add(
        Metric::results_invalid,
        std::array<std::string_view, 3>{frame_.call.server, frame_.call.target, told_withheld()});
  }

  /// As the metric and the log say it.
  std::string_view told_withheld() const {
    if (withheld_ == Policy::Withheld::excess) return "truncated";
    return is_withheld() ? "withheld" : "passed";
  }

  void log_misfit() const {
    log(LogLevel::warning,
        is_withheld() ? "result " + std::string(told_withheld()) : "result does not fit",
        {{"server", std::string(frame_.call.server)},
         {"tool", std::string(frame_.call.target)},
         {"detail", detail_of(frame_, misfit_)},
         {"decision", std::string(frame_.decision_id.view())}});
  }

  bool is_tool_call() const { return frame_.method() == MethodId::tools_call; }
  bool is_unjudged() const { return misfit_.reason == Reason::result_unjudged; }
  bool is_withheld() const { return withheld_ != Policy::Withheld::nothing; }

  /// How it ended, as the client sees it.
  Ending ending_of_part(const Message& answer) const {
    Ending ending = ending_of(answer);
    const bool is_error = answer.kind == MessageKind::error_response;
    if (is_error && tells_errors_by_trust(frame_)) ending.detail = recorded_error(answer);
    if (!misfit_.denies()) return ending;
    ending.detail = detail_of(frame_, misfit_);
    if (withheld_ == Policy::Withheld::excess) {
      ending.reason = misfit_.reason;
      ending.detail.insert(0, kTruncated);
      if (truncated_.lacks_structured_content) ending.outcome = Outcome::tool_error;
    } else if (is_withheld()) {
      const bool is_result = answer.kind == MessageKind::response && is_tool_call();
      if (!is_unjudged()) ending.outcome = is_result ? Outcome::tool_error : Outcome::denied;
      if (!is_result) ending.rpc_code = denial_code(misfit_.reason, frame_.inbound.era);
      ending.reason = misfit_.reason;
    } else {
      ending.would = misfit_.reason;
    }
    return ending;
  }

  /// What a server asks of the client with its answer may not be asked: the call ends with that.
  Task<void> refuse_answer(const Decision& refusal) {
    cancel_parts();
    co_await end_parts(
        {Outcome::denied, refusal.reason, denial_code(refusal.reason, frame_.inbound.era)});
    answer_failure(refusal.reason);
  }

  /// Records the same end of every part that has none yet.
  Task<void> end_parts(Ending ending) {
    ending.at = coarse_now();
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      if (parts_[part].is_over) continue;
      select(part);
      count_client_operation(frame_, ending, sent_at_);
      leave_circuit(frame_, ending.outcome);
      co_await record_outcome(frame_, ending);
    }
  }

  /// Records how one server's part ended. False when that is not possible.
  Task<bool> end_part(const ReceivedMessage& received) {
    co_await next_round(frame_.worker.loop);
    Ending ending = ending_of_part(received.message);
    ending.at = coarse_now();
    if (ending.outcome == Outcome::success) remember_followed(frame_, level_);
    frame_.bytes_out = received.bytes.size();
    count_client_operation(frame_, ending, sent_at_);
    leave_circuit(frame_, ending.outcome);
    const bool is_whole = withheld_ == Policy::Withheld::everything;
    if (is_whole && withheld_for_ == Reason::none) withheld_for_ = misfit_.reason;
    const bool is_recorded = (co_await record_outcome(frame_, ending)).has_value();
    frame_.redacted.clear();
    frame_.sanitised.clear();
    co_return is_recorded;
  }

  /// Of several answers the client gets the first error, or else the last result.
  void keep_worst(ReceivedMessage&& received) {
    const bool has_error =
        worst_.has_value() && worst_->message.kind == MessageKind::error_response;
    if (!has_error) worst_ = std::move(received);
  }

  void finish() {
    ReceivedMessage& received = *worst_;
    const Ending ending = ending_of(received.message);
    const bool is_error = received.message.kind == MessageKind::error_response;
    // Only a result of a tool has a place for what is said instead.
    if (withheld_for_ != Reason::none && (is_error || !is_tool_call())) {
      return answer_failure(withheld_for_);
    }
    Bytes& bytes = received.bytes;
    const Message& message = received.message;
    select(received.part);
    Answer answer{.message = is_error ? told_error(frame_, received)
                             : is_withheld()
                                 ? without_withheld(received)
                                 : restore_result(std::move(bytes), message, frame_.id_text),
                  .protocol_error = protocol_error(frame_.inbound.era, ending)};
    frame_.worker.loop.give_back(std::move(received.document));
    worst_.reset();
    // The answer with the room behind it, and the same framed for its socket.
    const std::size_t taken = answer.message.capacity() + answer.message.size();
    if (!answer.memory.hold(frame_.worker.gateway.unread, frame_.principal().id, taken)) {
      return answer_failure(Reason::overloaded);
    }
    frame_.exchange->finish(std::move(answer));
  }

  std::string without_withheld(const ReceivedMessage& received) const {
    const DenialAnswer why{.reason = misfit_.reason,
                           .pointer = misfit_.pointer,
                           .decision_id = frame_.decision_id.view(),
                           .era = frame_.inbound.era,
                           .trust = frame_.principal().trust,
                           .violations = &misfit_.violations,
                           .version = frame_.inbound.version};
    if (withheld_ == Policy::Withheld::excess) {
      return restore_truncated(received, frame_.id_text, withheld_note(why), truncated_);
    }
    const auto restore = withheld_ == Policy::Withheld::everything ? restore_without_result
                         : is_unjudged() ? restore_without_unjudged_content
                                         : restore_without_structured_content;
    return restore(received, frame_.id_text, withheld_note(why), withheld_content(why));
  }

  void cancel_parts() {
    for (const Part& part : parts_)
      part.to.upstream.cancel(part.pending);
  }

  /// Tells the client what another configuration changed. False when the subscription is to end.
  Task<bool> follow_configuration() {
    const Subscription::Step step = co_await subscription_->look(frame_);
    if (acknowledged_) {
      for (const std::string& message : step.messages)
        frame_.exchange->send(message);
    }
    co_return !step.ends;
  }

  /// The gateway stops, or has other servers: the subscription ends as a server ends one, with its
  /// result, and the client may listen anew.
  Task<void> end_subscription() {
    cancel_parts();
    std::string result = R"({"resultType":"complete","_meta":{")";
    result += meta_key::subscription_id;
    co_await finish_with_result(frame_, result + "\":" + frame_.id_text + "}}");
  }

  Task<void> fail(Error error) {
    cancel_parts();
    const bool is_cancelled = error.code == ErrorCode::cancelled;
    const Reason reason = is_cancelled ? Reason::none : reason_of(error);
    const Outcome outcome = is_cancelled                       ? Outcome::cancelled
                            : reason == Reason::server_timeout ? Outcome::timeout
                                                               : Outcome::failed;
    const std::int64_t code = is_cancelled ? 0 : denial_code(reason, frame_.inbound.era);
    // What the gateway lacks, or the caller asked for, says nothing of the server.
    const bool is_servers = error.fault == Fault::server && error.code != ErrorCode::overloaded;
    if (!is_servers) frame_.circuit.reset();
    co_await end_parts({outcome, reason, code, is_own_sentence(error) ? error.detail : ""});
    if (is_cancelled) co_return frame_.exchange->finish({});
    answer_failure(reason, error.detail);
  }

  void answer_failure(Reason reason, std::string_view detail = {}) {
    frame_.exchange->finish(answer_denial({.reason = reason,
                                           .decision_id = frame_.decision_id.view(),
                                           .id_json = frame_.id_text,
                                           .era = frame_.inbound.era,
                                           .trust = frame_.principal().trust,
                                           .retry_after = pending_->retry_after(),
                                           .detail = detail}));
  }

  CallFrame& frame_;
  const std::shared_ptr<PendingCall>& pending_;
  std::vector<Part> parts_;
  std::size_t left_;
  bool is_subscription_;
  std::optional<Subscription> subscription_;
  bool acknowledged_ = false;
  std::optional<ReceivedMessage> worst_;
  Decision misfit_ = Decision::pass();  ///< Why the result may not be passed on as it is.
  Policy::Withheld withheld_ = Policy::Withheld::nothing;
  TruncatedResult truncated_;           ///< What stands in the place of one that is too large.
  Reason withheld_for_ = Reason::none;  ///< Nothing of a part's answer may pass.
  Clock::time_point sent_at_;
  std::string token_;
  std::string level_;
  std::chrono::milliseconds timeout_{};
};

}  // namespace

Task<void> relay_answers(CallFrame& frame, std::vector<Outgoing> outgoing) {
  Relay relay(frame, std::move(outgoing));
  co_await relay.run();
}

}  // namespace bartizan
