#include <algorithm>
#include <array>
#include <utility>

#include "gateway/answer_denial.h"
#include "gateway/call_steps.h"
#include "gateway/server_events.h"
#include "schemas/error_code.h"
#include "schemas/limits.h"
#include "schemas/splice.h"
#include "schemas/write_message.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// Progress may put a call's end off, this many timeouts at most.
/// Source: MCP 2025-11-25, basic/lifecycle, "Timeouts": a maximum always applies.
constexpr int kTimeoutsMax = 10;
/// A subscription lasts as long as its client listens; this often it looks whether the gateway
/// still does.
constexpr std::chrono::seconds kSubscriptionWait{1};

/// Resources that one session may follow.
constexpr std::size_t kSubscriptionsMax = 1000;

/// Members of an error's `data` that only the gateway may say.
constexpr std::array<std::string_view, 8> kOwnData{"reason",         "category",    "decision_id",
                                                   "policy_rule",    "remediation", "retryable",
                                                   "retry_after_ms", "pointer"};

bool is_own_data(std::string_view member) {
  return std::find(kOwnData.begin(), kOwnData.end(), member) != kOwnData.end();
}

/// A server's message with the client's id, token and subscription id put back. The kinds are
/// those of schemas/splice.h; everything else of the message leaves as it came.
std::string restore(const ReceivedMessage& received, std::string_view id, std::string_view token) {
  const Message& message = received.message;
  std::vector<Splice> splices;
  if (message.is_answer() && message.id) {
    splices.push_back({SpliceKind::request_id, message.id.range(), std::string(id)});
  }
  if (message.is_notification() && message.progress_token) {
    splices.push_back(
        {SpliceKind::progress_token, message.progress_token.range(), std::string(token)});
  }
  if (const JsonValue subscription = message.meta.find(meta_key::subscription_id)) {
    splices.push_back({SpliceKind::subscription_id, subscription.range(), std::string(id)});
  }
  sort_splices(splices);
  std::string wire;
  append_spliced(wire, received.bytes.view(), splices);
  return wire;
}

/// A server's error, without what in its `data` would look like the gateway's own words.
std::string restore_error(const ReceivedMessage& received, std::string_view id) {
  const Message& message = received.message;
  const JsonValue data = message.error.find("data");
  bool poses = !message.id;
  std::string kept = "{";
  for (const JsonValue member : data) {
    if (!data.is(JsonType::object)) break;
    if (is_own_data(member.key())) {
      poses = true;
      continue;
    }
    if (kept.size() > 1) kept += ",";
    append_json_string(kept, member.key());
    kept += ":";
    kept += member.raw();
  }
  if (!poses) return restore(received, id, {});
  const auto code = message.error.find("code").integer().value_or(-32603);
  return write_error(id, static_cast<int>(code), message.error.find("message").text(),
                     data.is(JsonType::object) ? kept + "}" : std::string());
}

Ending ending_of(const Message& answer) {
  if (answer.kind == MessageKind::error_response) {
    return {Outcome::error, Reason::none, answer.error.find("code").integer().value_or(0)};
  }
  if (answer.result.find("isError").boolean().value_or(false)) return {Outcome::tool_error};
  return {};
}

/// An error of the protocol's own, which transports with statuses answer with one of theirs.
std::optional<ErrorCode> protocol_error(Era era, const Ending& ending) {
  if (era == Era::legacy) return std::nullopt;
  for (const ErrorCode code : {ErrorCode::header_mismatch, ErrorCode::missing_capability,
                               ErrorCode::unsupported_version, ErrorCode::method_not_found}) {
    if (ending.rpc_code == static_cast<int>(rpc_code(code))) return code;
  }
  return std::nullopt;
}

/// Whether the client may learn of this notification.
bool may_pass(const CallFrame& frame, const Message& notification) {
  const MethodId method = notification.known->id;
  if (method == MethodId::notifications_resources_updated) {
    return frame.policy().shows(frame.principal(), TargetKind::resource, frame.call.server,
                                notification.uri.text(), frame.call.facts.now);
  }
  return notification.known->from_server && method != MethodId::notifications_cancelled;
}

/// One call on its way: what it waits for, and what ends it.
class Relay {
 public:
  Relay(CallFrame& frame, std::vector<Outgoing> outgoing)
      : frame_(frame),
        outgoing_(std::move(outgoing)),
        pending_(std::make_shared<PendingCall>(frame.worker.loop)),
        left_(outgoing_.size()),
        is_subscription_(frame.method() == MethodId::subscriptions_listen) {
    token_ = frame.message().progress_token.raw();
    timeout_ = is_subscription_ ? kSubscriptionWait
                                : frame.policy().timeout(frame.call.server, frame.call.target_kind,
                                                         frame.call.target);
  }
  ~Relay() {
    if (frame_.session == nullptr) return;
    const auto found = frame_.session->calls.find(frame_.id_text);
    if (found != frame_.session->calls.end() && found->second == pending_) {
      frame_.session->calls.erase(found);
    }
  }

  Task<void> run() {
    if (frame_.session != nullptr &&
        !frame_.session->calls.emplace(frame_.id_text, pending_).second) {
      co_return co_await refuse_call(frame_, Reason::invalid_request);  // The id is in use.
    }
    frame_.exchange->on_cancel([pending = pending_] {
      pending->fail({ErrorCode::cancelled, Fault::client, "the client went away"});
    });
    sent_at_ = Clock::now();
    const Clock::time_point latest = sent_at_ + kTimeoutsMax * timeout_;
    for (Outgoing& one : outgoing_)
      one.upstream.call(std::move(one.request), pending_);
    while (Clock::now() < latest || is_subscription_) {
      Result<ReceivedMessage> received = co_await pending_->next(timeout_);
      if (!received.has_value()) {
        if (is_subscription_ && received.error().code == ErrorCode::timed_out) {
          if (!frame_.worker.gateway.draining.load(std::memory_order_relaxed)) continue;
          co_return co_await end_subscription();
        }
        co_return co_await fail(received.error());
      }
      if (received->message.is_answer() && --left_ == 0) {
        co_return co_await finish(std::move(*received));
      }
      co_await pass(std::move(*received));
    }
    co_await fail({ErrorCode::timed_out, Fault::server, "progress without end"});
  }

 private:
  Task<void> pass(ReceivedMessage received) {
    const Message& message = received.message;
    if (message.is_request()) {
      co_return co_await relay_server_request(frame_, outgoing_.front().upstream,
                                              std::move(received));
    }
    const bool is_acknowledgement =
        message.known->id == MethodId::notifications_subscriptions_acknowledged;
    const bool is_repeated = is_acknowledgement && std::exchange(acknowledged_, true);
    forget_if_changed(message);
    if (message.is_notification() && !is_repeated && may_pass(frame_, message)) {
      frame_.exchange->send(restore(received, frame_.id_text, token_));
    }
    frame_.worker.loop.give_back(std::move(received.document));
  }

  /// Before the client learns that a list changed: it will ask for it next. A subscription goes to
  /// all servers, and does not tell which of them speaks.
  void forget_if_changed(const Message& message) {
    if (!tells_of_changed_list(message)) return;
    for (const auto& [name, server] : frame_.snapshot().config.servers) {
      forget_changed_list(frame_.worker, name, message.known->id);
    }
  }

  Task<void> finish(ReceivedMessage received) {
    const Ending ending = ending_of(received.message);
    const bool is_error = received.message.kind == MessageKind::error_response;
    Answer answer{.message = is_error ? restore_error(received, frame_.id_text)
                                      : restore(received, frame_.id_text, token_),
                  .protocol_error = protocol_error(frame_.inbound.era, ending)};
    frame_.worker.loop.give_back(std::move(received.document));
    if (ending.outcome == Outcome::success) follow_subscription();
    frame_.bytes_out = answer.message.size();
    count_client_operation(ending.outcome);
    const Result<void> recorded = co_await record_outcome(frame_, ending);
    if (!recorded.has_value()) co_return answer_failure(Reason::not_recordable);
    frame_.exchange->finish(std::move(answer));
  }

  /// The gateway stops: the subscription ends as a server ends one, with its result.
  Task<void> end_subscription() {
    for (const Outgoing& one : outgoing_)
      one.upstream.cancel(pending_);
    std::string result = R"({"resultType":"complete","_meta":{")";
    result += meta_key::subscription_id;
    co_await finish_with_result(frame_, result + "\":" + frame_.id_text + "}}");
  }

  Task<void> fail(Error error) {
    for (const Outgoing& one : outgoing_)
      one.upstream.cancel(pending_);
    if (error.code == ErrorCode::cancelled) {
      co_await record_outcome(frame_, {Outcome::cancelled});
      co_return frame_.exchange->finish({});
    }
    const Reason reason = reason_of(error);
    const Outcome outcome = reason == Reason::server_timeout ? Outcome::timeout : Outcome::failed;
    count_client_operation(outcome);
    co_await record_outcome(frame_, {outcome, reason, denial_code(reason, frame_.inbound.era)});
    answer_failure(reason);
  }

  /// Remembers which resources a session follows, to know whom an update is for.
  void follow_subscription() {
    if (frame_.session == nullptr) return;
    const bool has_room = frame_.session->subscriptions.size() < kSubscriptionsMax;
    if (frame_.method() == MethodId::resources_subscribe && has_room) {
      frame_.session->subscriptions.insert(frame_.target);
    }
    if (frame_.method() == MethodId::resources_unsubscribe) {
      frame_.session->subscriptions.erase(frame_.target);
    }
  }

  /// The gateway is the server's client; this is how long the server took.
  void count_client_operation(Outcome outcome) {
    const std::string_view error_type =
        outcome == Outcome::success ? std::string_view() : text(outcome);
    const std::string_view transport =
        frame_.server != nullptr && frame_.server->url.empty() ? "stdio" : "http";
    frame_.worker.loop.metrics().observe(
        Metric::client_operation,
        std::array<std::string_view, 4>{frame_.method_name(), frame_.call.server, error_type,
                                        transport},
        std::chrono::duration<double>(Clock::now() - sent_at_).count());
  }

  void answer_failure(Reason reason) {
    frame_.exchange->finish(answer_denial({.reason = reason,
                                           .decision_id = frame_.decision_id.view(),
                                           .id_json = frame_.id_text,
                                           .era = frame_.inbound.era,
                                           .trust = frame_.principal().trust}));
  }

  CallFrame& frame_;
  std::vector<Outgoing> outgoing_;
  std::shared_ptr<PendingCall> pending_;
  std::size_t left_;
  bool is_subscription_;
  bool acknowledged_ = false;
  Clock::time_point sent_at_;
  std::string token_;
  std::chrono::milliseconds timeout_{};
};

}  // namespace

Task<void> relay_answers(CallFrame& frame, std::vector<Outgoing> outgoing) {
  Relay relay(frame, std::move(outgoing));
  co_await relay.run();
}

}  // namespace bartizan
