#include "gateway/reply/http_reply.h"

#include <utility>

#include "schemas/base/limits.h"

namespace bartizan {

HttpReply::HttpReply(Loop& loop, MemoryShares* shares, std::string principal)
    : signal_(loop), shares_(shares), principal_(std::move(principal)) {}

/// False when the memory budget, or the principal's share of it, has no room for it.
bool HttpReply::enqueue(ReplyEvent event) {
  Queued queued{.event = std::move(event), .memory = {}};
  const std::size_t size = queued.event.text().size();
  const bool is_reserved = queued.event.kept != nullptr && queued.event.kept->memory.bytes() > 0;
  const bool takes_share = shares_ != nullptr && !is_reserved;
  if (takes_share && !queued.memory.hold(*shares_, principal_, size)) return false;
  message_bytes_ += size;
  messages_.push_back(std::move(queued));
  return true;
}

void HttpReply::push(ReplyEvent event) {
  if (only_end_) return;
  const bool too_much =
      messages_.size() >= limits::stream_queue_messages_max ||
      (!messages_.empty() && message_bytes_ + event.text().size() > limits::stream_queue_bytes_max);
  if (too_much || !enqueue(std::move(event))) overrun_ = true;
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

void HttpReply::finish(Answer answer, ResumeEventPtr last) {
  if (!answer_.has_value()) {
    answer_ = std::move(answer);
    last_event_ = std::move(last);
  }
  signal_.notify();
}

void HttpReply::on_cancel(Loop& home, std::move_only_function<void()> cancelled) {
  home_ = &home;
  cancelled_ = std::move(cancelled);
  if (gone_) cancel();
}

void HttpReply::listen(Loop& home, std::weak_ptr<ReplyListener> listener,
                       std::uint64_t connection) {
  home_ = &home;
  listener_ = std::move(listener);
  connection_ = connection;
  is_resumable_ = true;
  if (gone_) cancel();
  if (is_open_) open();
}

void HttpReply::cancel() {
  gone_ = true;
  if (cancelled_) home_->post_answer(std::exchange(cancelled_, nullptr));
  if (!is_resumable_) return;
  home_->post_answer([weak = listener_, connection = connection_] {
    if (const auto listener = weak.lock()) listener->on_gone(connection);
  });
}

void HttpReply::open() {
  is_open_ = true;
  if (!is_resumable_) return;
  home_->post_answer([weak = listener_] {
    if (const auto listener = weak.lock()) listener->on_stream();
  });
}

HttpReply::Wait HttpReply::wait(std::chrono::milliseconds wait) {
  const bool has_news = has_message() || answer_.has_value() || overrun_;
  return {has_news, signal_.wait(wait)};
}

std::optional<ReplyEvent> HttpReply::take_event() {
  if (messages_.empty()) return std::nullopt;
  ReplyEvent event = std::move(messages_.front().event);
  messages_.pop_front();
  message_bytes_ -= event.text().size();
  return event;
}

template <class Work>
void ReplyRoute::run_there(Work work) const {
  // The listener may give up this route, which may be the last one with the reply.
  connection_->post_answer([reply = reply_, work = std::move(work)]() mutable { work(*reply); });
}

bool ReplyRoute::push(ReplyEvent event) {
  // The queue is bounded where it ends; this bounds the way there, should that worker be busy.
  if (reply_->on_its_way.fetch_add(1) >= limits::stream_queue_messages_max) {
    reply_->on_its_way.fetch_sub(1);
    cut();
    return false;
  }
  run_there([event = std::move(event)](HttpReply& reply) mutable {
    reply.on_its_way.fetch_sub(1);
    reply.push(std::move(event));
  });
  return true;
}

void ReplyRoute::finish(Answer answer, ResumeEventPtr last) {
  run_there([answer = std::move(answer), last = std::move(last)](HttpReply& reply) mutable {
    reply.finish(std::move(answer), std::move(last));
  });
}

void ReplyRoute::cut() {
  if (!std::exchange(is_cut_, true)) run_there([](HttpReply& reply) { reply.cut(); });
}

void ReplyRoute::on_cancel(Loop& home, std::move_only_function<void()> cancelled) {
  run_there([home = &home, cancelled = std::move(cancelled)](HttpReply& reply) mutable {
    reply.on_cancel(*home, std::move(cancelled));
  });
}

void ReplyRoute::listen(Loop& home, std::weak_ptr<ReplyListener> listener,
                        std::uint64_t connection) {
  run_there([home = &home, listener = std::move(listener), connection](HttpReply& reply) mutable {
    reply.listen(*home, std::move(listener), connection);
  });
}

HttpExchange::~HttpExchange() {
  if (!finished_) finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void HttpExchange::send(std::string message) {
  route_.push({std::move(message)});
}

void HttpExchange::finish(Answer answer) {
  finished_ = true;
  route_.finish(std::move(answer));
}

void HttpExchange::on_cancel(std::move_only_function<void()> cancelled) {
  route_.on_cancel(home_, std::move(cancelled));
}

}  // namespace bartizan
