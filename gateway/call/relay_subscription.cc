#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/call/acknowledgement.h"
#include "gateway/call/call_task.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/relay.h"
#include "gateway/call/subscription.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

/// This often a subscription looks whether its client and the gateway still listen.
constexpr std::chrono::seconds kWait{1};
/// How long the client waits for servers that have not acknowledged their part.
constexpr std::chrono::seconds kPatience{2};
/// Messages that wait for the acknowledgement; more of them bring it at once.
constexpr std::size_t kEarlyMax = 64;

/// A call that lasts as long as its client listens. When the gateway stops, or the configuration
/// has other servers, it ends as a server ends one: with its result, and the client may listen
/// anew.
class SubscriptionRelay {
 public:
  SubscriptionRelay(CallFrame& frame, std::vector<Outgoing> outgoing)
      : frame_(frame), relay_(frame, std::move(outgoing)), subscription_(frame) {
    if (relay_.size() > 1) shared_.emplace(frame, relay_.size());
  }

  Task<void> run() {
    if (!co_await relay_.send()) co_return;
    while (true) {
      auto received = co_await relay_.pending().next(kWait);
      // Its client, or an operator, ended it.
      if (!received.has_value() && received.error().code == ErrorCode::cancelled) {
        co_return co_await relay_.fail(received.error());
      }
      if (is_draining() || !co_await follow_configuration()) co_return co_await end();
      if (!received.has_value()) {
        if (received.error().code != ErrorCode::timed_out) {
          co_return co_await relay_.fail(received.error());
        }
      } else if (co_await take(*std::move(received))) {
        co_return;
      }
      if (shared_.has_value() && !is_acknowledged_ && is_time_to_acknowledge()) {
        is_acknowledged_ = true;
        frame_.exchange->send(shared_->text());
        for (ReceivedMessage& early : std::exchange(early_, {}))
          if (co_await pass(std::move(early))) co_return;
      }
    }
  }

 private:
  bool is_draining() const {
    return frame_.worker.gateway.draining.load(std::memory_order_relaxed);
  }

  bool is_time_to_acknowledge() const {
    return shared_->is_complete() || early_.size() >= kEarlyMax ||
           steady_now() - begun_ > kPatience;
  }

  /// Takes a message of one of the servers. Whether the call is over.
  Task<bool> take(ReceivedMessage received) {
    const Message& message = received.message;
    if (!shared_.has_value()) co_return co_await pass(std::move(received));
    if (message.known->id == MethodId::notifications_subscriptions_acknowledged) {
      relay_.select(received);
      shared_->agree(received.part, frame_.call.server, message.params.find("notifications"));
      frame_.worker.loop.give_back(std::move(received.document));
      co_return false;
    }
    if (message.is_answer()) shared_->refuse(received.part);
    // Nothing comes before the acknowledgement.
    if (is_acknowledged_ || message.is_answer()) co_return co_await pass(std::move(received));
    early_.push_back(std::move(received));
    co_return false;
  }

  /// Passes a message on as far as it may. Whether the call is over.
  Task<bool> pass(ReceivedMessage received) {
    if (!relay_.select(received)) co_return false;
    if (tells_of_task(frame_, received.message)) {
      co_await relay_.pass_task(std::move(received), subscription_);
      co_return false;
    }
    const bool may_pass = relay_.clean(received);
    if (received.message.is_answer()) {
      co_return co_await relay_.take_answer(std::move(received), may_pass);
    }
    co_await relay_.pass(std::move(received), may_pass, &subscription_);
    co_return false;
  }

  /// Tells the client what another configuration changed. False when the subscription is to end.
  Task<bool> follow_configuration() {
    const Subscription::Step step = co_await subscription_.look(frame_);
    if (is_acknowledged_ || relay_.is_acknowledged()) {
      for (const std::string& message : step.messages)
        frame_.exchange->send(message);
    }
    co_return !step.ends;
  }

  Task<void> end() {
    relay_.cancel();
    std::string result = R"({"resultType":"complete","_meta":{")";
    result += meta_key::subscription_id;
    co_await finish_with_result(frame_, result + "\":" + frame_.id_text + "}}");
  }

  CallFrame& frame_;
  Relay relay_;
  Subscription subscription_;
  std::optional<Acknowledgement> shared_;  ///< Where several servers serve the subscription.
  bool is_acknowledged_ = false;           ///< To the client, by `shared_`.
  std::vector<ReceivedMessage> early_;     ///< That came before.
  const std::chrono::steady_clock::time_point begun_ = steady_now();
};

}  // namespace

Task<void> relay_subscription(CallFrame& frame, std::vector<Outgoing> outgoing) {
  // It was recorded since it was judged, and from here on the subscription looks by itself.
  const auto is_blocked = [&frame](const Outgoing& one) {
    return is_server_blocked_now(frame, one.upstream.key().server);
  };
  if (std::ranges::all_of(outgoing, is_blocked)) {
    co_return co_await refuse_call(frame, {"operator", Decision::deny(Reason::blocked)});
  }
  if (!has_same_recipients(frame, outgoing)) {
    co_return co_await refuse_call(frame, Reason::server_unavailable);  // It may come back at once.
  }
  SubscriptionRelay relay(frame, std::move(outgoing));
  co_await relay.run();
}

}  // namespace bartizan
