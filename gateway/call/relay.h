#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/answer_verdict.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/call_task.h"
#include "gateway/call/notification_tail.h"
#include "gateway/call/subscription.h"

namespace bartizan {

/// A permitted call with its servers: what it sent them, what they send about it, and their
/// answers. Almost every call goes to one server; a subscription and a log level go to all of them,
/// and each of these parts is on record apart.
///
/// Lifetime: within that of the frame.
/// Threads:  those of the call.
class Relay {
 public:
  using Clock = std::chrono::steady_clock;

  struct Part {
    Outgoing to;
    std::shared_ptr<PendingCall> pending;
    std::shared_ptr<BridgedCall> bridge = {};  ///< Null where the server is of the client's era.
    bool is_over = false;
    NotificationTail spoken = {};  ///< That were passed on.
  };

  Relay(CallFrame& frame, std::vector<Outgoing> outgoing);

  /// Where everything about the call arrives.
  PendingCall& pending() { return *frame_.pending; }
  Part& part(std::uint32_t number) { return parts_[number]; }
  std::size_t size() const { return parts_.size(); }
  Clock::time_point sent_at() const { return sent_at_; }

  /// Sends every part. False where the client cancelled before: then no server ever hears of it.
  Task<bool> send();
  /// Sends a part; once more where it was sent before, and has ended since.
  void send_part(Part& part);
  /// From now on the frame speaks of the server that sent that. False for an answer of a part that
  /// is over.
  bool select(const ReceivedMessage& received);
  /// Rewrites what came as policy wants it. False where nothing of it may pass.
  bool clean(ReceivedMessage& received);

  /// Passes on a notification or a request; what may not pass is not passed on, or refused.
  /// Input: `listening`, the call's own subscription, null where it is none.
  Task<void> pass(ReceivedMessage received, bool may_pass, const Subscription* listening);
  /// Passes on news of a task that the subscription is about, where its call may still be made.
  Task<void> pass_task(ReceivedMessage received, const Subscription& listening);
  /// Whether the client has had the acknowledgement of its subscription.
  bool is_acknowledged() const { return is_acknowledged_; }

  /// Judges the answer of one part and records how it ended; the last one answers the client.
  /// Whether the call is over.
  /// Input: `before`, what was found of it before it was cleaned.
  Task<bool> take_answer(ReceivedMessage received, bool may_pass,
                         Decision before = Decision::pass());
  /// Records how one part ended. False when that is not possible.
  Task<bool> end_part(const ReceivedMessage& received);

  /// Nobody waits for the parts that are not over.
  void cancel();
  /// The call ends with that error, on record and for the client.
  Task<void> fail(Error error);
  /// The call ends with what is wrong with a task that its server told of.
  Task<void> fail_task(TaskFault fault);
  /// Answers the client with a failure.
  void answer_failure(Reason reason, std::string_view detail = {});

 private:
  void speak_of(std::uint32_t part);
  Task<bool> may_tell(ReceivedMessage& received, CallFrame& origin, OpenTask& task);
  bool follow_notification(const Message& message);
  Task<void> refuse_answer(const Decision& refusal);
  Task<void> end_parts(Ending ending);
  void merge_answer(ReceivedMessage&& received);
  void finish();

  CallFrame& frame_;
  std::vector<Part> parts_;
  std::size_t left_;
  bool is_acknowledged_ = false;
  AnswerVerdict verdict_;  ///< Of the answer that came last.
  std::optional<ReceivedMessage> worst_;
  Reason withheld_for_ = Reason::none;  ///< Nothing of a part's answer may pass.
  Clock::time_point sent_at_;
  std::string token_;  ///< The client's, for progress.
  std::string level_;  ///< That the client asks servers to log at.
};

/// Relays a call to its end: a subscription, which lasts as long as its client listens, or any
/// other.
Task<void> relay_subscription(CallFrame& frame, std::vector<Outgoing> outgoing);
Task<void> relay_call(CallFrame& frame, std::vector<Outgoing> outgoing);

}  // namespace bartizan
