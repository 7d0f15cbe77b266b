#include "gateway/message/pending_call.h"

#include <utility>

#include "schemas/base/error_code.h"
#include "schemas/base/limits.h"
#include "schemas/message/write_message.h"

namespace bartizan {

PendingCall::PendingCall(Loop& owner) : owner_(&owner), signal_(owner) {}

PendingCall::PendingCall(std::shared_ptr<PendingCall> whole, std::uint32_t part)
    : owner_(whole->owner_), whole_(std::move(whole)), part_(part), signal_(*owner_) {}

bool PendingCall::deliver(ReceivedMessage&& message) {
  if (whole_ != nullptr) {
    message.part = part_;
    return whole_->deliver(std::move(message));
  }
  const bool is_answer = message.message.is_answer();
  if (!is_answer && held_.fetch_add(1) >= limits::stream_queue_messages_max) {
    held_.fetch_sub(1);
    if (!names_subscription(message.message)) return false;
    fail({ErrorCode::overloaded, Fault::client, "the client reads slower than the server sends"});
    return true;
  }
  if (owner_->is_current()) {
    push(std::move(message));
    return true;
  }
  owner_->post_answer([self = shared_from_this(), message = std::move(message)]() mutable {
    self->push(std::move(message));
  });
  return true;
}

void PendingCall::fail(Error error, std::optional<std::chrono::milliseconds> retry_after) {
  if (whole_ != nullptr) {
    return owner_->post_answer(
        [whole = whole_, part = part_, error = std::move(error)] { whole->end_part(part, error); });
  }
  owner_->post_answer([self = shared_from_this(), error = std::move(error), retry_after]() mutable {
    self->end(std::move(error), retry_after);
  });
}

void PendingCall::pause() {
  if (whole_ != nullptr) return;
  owner_->post_answer([self = shared_from_this()] {
    if (self->paused_ && !self->end_.has_value()) self->paused_();
  });
}

void PendingCall::wake() {
  owner_->post_answer([self = shared_from_this()] { self->signal_.notify(); });
}

Task<void> PendingCall::woken(std::chrono::milliseconds wait) {
  const auto self = shared_from_this();
  if (!end_.has_value()) co_await signal_.wait(wait);
}

void PendingCall::push(ReceivedMessage&& message) {
  // Nothing follows an end: what comes after a lost message would only look complete.
  if (end_.has_value()) return;
  messages_.push_back(std::move(message));
  signal_.notify();
}

void PendingCall::end(Error error, std::optional<std::chrono::milliseconds> retry_after) {
  // The first end counts: a cancellation is not turned into a crash by what follows from it. One by
  // which nothing was done yields to a cancellation: the call is not to be sent again.
  const bool yields = end_.has_value() && was_not_run(*end_) && error.code == ErrorCode::cancelled;
  if (!end_.has_value() || yields) {
    end_ = std::move(error);
    retry_after_ = retry_after;
  }
  signal_.notify();
}

bool PendingCall::reopen() {
  if (!end_.has_value() || !was_not_run(*end_)) return false;
  end_.reset();
  return true;
}

/// The others go on: the failure stands in the queue as what it means to the client, an error.
void PendingCall::end_part(std::uint32_t part, const Error& error) {
  const bool in_time = error.code != ErrorCode::timed_out;
  Bytes bytes(write_error("0", static_cast<int>(RpcCode::internal_error),
                          in_time ? "a server failed" : "a server did not answer in time"));
  ReceivedMessage message;
  message.document = owner_->lease_document();
  message.bytes = std::move(bytes);
  message.part = part;
  const Result<JsonValue> root = message.document->read(message.bytes);
  if (!root.has_value()) return end(error, std::nullopt);
  const Result<Message> read = parse_message(*root);
  if (!read.has_value()) return end(error, std::nullopt);
  message.message = *read;
  push(std::move(message));
}

Task<Result<ReceivedMessage>> PendingCall::next(std::chrono::milliseconds wait) {
  const auto self = shared_from_this();
  while (messages_.empty() && !end_.has_value()) {
    if (co_await signal_.wait(wait) == Signal::Woken::timed_out) {
      co_return bartizan::fail(ErrorCode::timed_out, Fault::server,
                               "the server did not answer in time");
    }
  }
  if (messages_.empty()) co_return std::unexpected(*end_);
  std::list<ReceivedMessage> taken;
  taken.splice(taken.begin(), messages_, messages_.begin());
  if (!taken.front().message.is_answer()) held_.fetch_sub(1);
  co_return std::move(taken.front());
}

}  // namespace bartizan
