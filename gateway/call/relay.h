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

/// A permitted call with its servers: the messages to them, their messages about it, and their
/// responses. Almost every call goes to one server. A subscription and a log level go to all
/// servers, and each of these parts has its own record.
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

  /// The queue of everything that arrives for the call.
  PendingCall& pending() { return *frame_.pending; }
  Part& part(std::uint32_t number) { return parts_[number]; }
  std::size_t size() const { return parts_.size(); }
  Clock::time_point sent_at() const { return sent_at_; }

  /// Sends every part. False if the client cancelled before: then nothing is sent to any server.
  Task<bool> send();
  /// Sends a part; also again after it has ended.
  void send_part(Part& part);
  /// Sets the frame to the server that sent the message. False for a response to a part that is
  /// over.
  bool select(const ReceivedMessage& received);
  /// Rewrites the received message by policy. False if it is withheld.
  bool clean(ReceivedMessage& received);

  /// Passes on a notification or a request, if it may pass. Otherwise a notification is dropped,
  /// and a request is refused.
  /// Input: `listening`, the call's own subscription, null where it is none.
  Task<void> pass(ReceivedMessage received, bool may_pass, const Subscription* listening);
  /// Passes on a notification of a task in the subscription, if its call is still permitted.
  Task<void> pass_task(ReceivedMessage received, const Subscription& listening);
  /// Whether the client got the acknowledgement of its subscription.
  bool is_acknowledged() const { return is_acknowledged_; }

  /// Judges the response to one part and records its outcome. The last one responds to the client.
  /// Returns whether the call is over.
  /// Input: `before`, the findings before it was cleaned.
  Task<bool> take_answer(ReceivedMessage received, bool may_pass,
                         Decision before = Decision::pass());
  /// Records the outcome of one part. False if that is not possible.
  Task<bool> end_part(const ReceivedMessage& received);

  /// Stops waiting for the parts that are not over.
  void cancel();
  /// Ends the call with that error, on record and for the client.
  Task<void> fail(Error error);
  /// Ends the call with the fault of its server's message about a task.
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
  AnswerVerdict verdict_;  ///< The verdict on the last response.
  std::optional<ReceivedMessage> worst_;
  Reason withheld_for_ = Reason::none;  ///< Why a part's response is withheld.
  Clock::time_point sent_at_;
  std::string token_;  ///< The client's, for progress.
  std::string level_;  ///< The log level that the client sets.
};

/// Relays a call to its end: a subscription, which lasts as long as its client listens, or any
/// other.
Task<void> relay_subscription(CallFrame& frame, std::vector<Outgoing> outgoing);
Task<void> relay_call(CallFrame& frame, std::vector<Outgoing> outgoing);

}  // namespace bartizan
