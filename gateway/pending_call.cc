#include "gateway/pending_call.h"

#include <utility>

#include "schemas/limits.h"

namespace bartizan {

PendingCall::PendingCall(Loop& owner) : owner_(&owner), signal_(owner.executor(), owner.wheel()) {}

void PendingCall::deliver(ReceivedMessage message) {
  owner_->post_answer([self = shared_from_this(), message = std::move(message)]() mutable {
    self->push(std::move(message));
  });
}

void PendingCall::fail(Error error) {
  owner_->post_answer([self = shared_from_this(), error = std::move(error)]() mutable {
    self->end(std::move(error));
  });
}

void PendingCall::push(ReceivedMessage message) {
  // Nothing follows an end: what comes after a lost message would only look complete.
  if (end_.has_value()) return;
  if (messages_.size() >= limits::stream_queue_messages_max) {
    end({ErrorCode::overloaded, Fault::client, "the client reads slower than the server sends"});
    return;
  }
  messages_.push_back(std::move(message));
  signal_.notify();
}

void PendingCall::end(Error error) {
  // The first end counts: a cancellation is not turned into a crash by what follows from it.
  if (!end_.has_value()) end_ = std::move(error);
  signal_.notify();
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
  ReceivedMessage message = std::move(messages_.front());
  messages_.pop_front();
  co_return message;
}

}  // namespace bartizan
