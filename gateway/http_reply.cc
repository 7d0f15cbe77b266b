#include "gateway/http_reply.h"

#include <utility>

#include "schemas/limits.h"

namespace bartizan {

HttpReply::HttpReply(Loop& loop, MemoryBudget* memory)
    : signal_(loop.executor(), loop.wheel()), memory_(memory) {}

void HttpReply::push(std::string message) {
  if (only_end_) return;
  Queued queued{.message = std::move(message), .memory = {}};
  const std::size_t size = queued.message.size();
  bool too_much = messages_.size() >= limits::stream_queue_messages_max ||
                  (!messages_.empty() && message_bytes_ + size > limits::stream_queue_bytes_max);
  if (!too_much && memory_ != nullptr) too_much = !hold(*memory_, queued.memory, size);
  if (too_much) {
    overrun_ = true;
  } else {
    message_bytes_ += size;
    messages_.push_back(std::move(queued));
  }
  signal_.notify();
}

void HttpReply::cut() {
  if (!only_end_) overrun_ = true;
  signal_.notify();
}

void HttpReply::take_only_end() {
  only_end_ = true;
  overrun_ = false;
  messages_.clear();
  message_bytes_ = 0;
}

void HttpReply::finish(Answer answer) {
  if (!answer_.has_value()) answer_ = std::move(answer);
  signal_.notify();
}

void HttpReply::on_cancel(Loop& home, std::move_only_function<void()> cancelled) {
  home_ = &home;
  cancelled_ = std::move(cancelled);
  if (gone_) cancel();
}

void HttpReply::cancel() {
  gone_ = true;
  if (cancelled_) home_->post_answer(std::exchange(cancelled_, nullptr));
}

Task<bool> HttpReply::wait(std::chrono::milliseconds wait) {
  if (has_message() || answer_.has_value() || overrun_) co_return true;
  co_return co_await signal_.wait(wait) == Signal::Woken::notified;
}

std::optional<std::string> HttpReply::take_message() {
  if (messages_.empty()) return std::nullopt;
  std::string message = std::move(messages_.front().message);
  messages_.pop_front();
  message_bytes_ -= message.size();
  return message;
}

HttpExchange::~HttpExchange() {
  if (!finished_) finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void HttpExchange::send(std::string message) {
  // The queue is bounded where it ends; this bounds the way there, should that worker be busy.
  if (reply_->on_its_way.fetch_add(1) >= limits::stream_queue_messages_max) {
    reply_->on_its_way.fetch_sub(1);
    if (!std::exchange(cut_, true)) connection_.post_answer([reply = reply_] { reply->cut(); });
    return;
  }
  connection_.post_answer([reply = reply_, message = std::move(message)]() mutable {
    reply->on_its_way.fetch_sub(1);
    reply->push(std::move(message));
  });
}

void HttpExchange::finish(Answer answer) {
  finished_ = true;
  connection_.post_answer(
      [reply = reply_, answer = std::move(answer)]() mutable { reply->finish(std::move(answer)); });
}

void HttpExchange::on_cancel(std::move_only_function<void()> cancelled) {
  connection_.post_answer(
      [reply = reply_, home = &home_, cancelled = std::move(cancelled)]() mutable {
        reply->on_cancel(*home, std::move(cancelled));
      });
}

}  // namespace bartizan
