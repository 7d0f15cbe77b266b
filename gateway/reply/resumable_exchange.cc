#include "gateway/reply/resumable_exchange.h"

#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {

ReplyEvent priming_event(EventId id, ProtocolVersion version) {
  if (!has_priming_events(version)) return {};
  return {.message = {},
          .id = text(id),
          .retry_ms = static_cast<std::uint32_t>(limits::resumption_retry.count())};
}

ResumableExchange::ResumableExchange(Loop& home, StreamPreference wish, ReplyRoute route)
    : home_(home), wish_(wish), route_(std::move(route)) {}

ResumableExchange::~ResumableExchange() {
  if (!is_finished_) finish({.message = {}, .protocol_error = ErrorCode::server_failed});
}

void ResumableExchange::on_open(std::move_only_function<Keeping()> keeping) {
  keeping_ = std::move(keeping);
  listen();
  if (wish_ == StreamPreference::at_once) open();
}

/// Weakly: what the reply holds must not hold the exchange, which a client may never come back to.
void ResumableExchange::listen() {
  route_->listen(home_, weak_from_this(), ++connection_);
}

void ResumableExchange::open() {
  if (is_open_ || is_finished_) return;
  is_open_ = true;
  if (keeping_) {
    Keeping keeping = std::exchange(keeping_, nullptr)();
    version_ = keeping.version;
    events_ = std::move(keeping.events);
    stream_ = events_->begin(std::move(keeping.origin),
                             std::static_pointer_cast<ResumableExchange>(shared_from_this()));
  }
  push(stream_ == 0 ? ReplyEvent() : priming_event({stream_, 0}, version_));
}

/// One that cannot keep up is cut off, and may come back for the rest.
void ResumableExchange::push(ReplyEvent event) {
  if (route_.has_value() && !route_->push(std::move(event))) route_.reset();
}

void ResumableExchange::send_about(std::string message, const Subject& subject) {
  open();
  if (stream_ == 0) return push({.message = std::move(message)});
  push({.kept = events_->add(stream_, std::move(message), subject, steady_now())});
}

void ResumableExchange::pause() {
  if (stream_ == 0 || !route_.has_value() || !has_priming_events(version_)) return;
  route_->finish({});
  route_.reset();
}

void ResumableExchange::finish(Answer answer) {
  const bool is_message = !answer.message.empty() && !answer.protocol_error.has_value();
  if (wish_ == StreamPreference::at_once && is_message) open();
  is_finished_ = true;
  keeping_ = nullptr;
  cancelled_ = nullptr;
  ResumeEventPtr last;
  if (stream_ != 0) {
    const auto now = steady_now();
    if (!answer.message.empty()) {
      last = events_->add(stream_, std::exchange(answer.message, {}), {}, now);
    }
    events_->finish(stream_, now);
  }
  if (route_.has_value()) route_->finish(std::move(answer), std::move(last));
}

void ResumableExchange::on_cancel(std::move_only_function<void()> cancelled) {
  cancelled_ = std::move(cancelled);
}

void ResumableExchange::redirect(ReplyRoute route, std::vector<ReplyEvent> events) {
  if (route_.has_value()) route_->cut();
  route_.emplace(std::move(route));
  listen();
  for (ReplyEvent& event : events)
    push(std::move(event));
}

void ResumableExchange::abandon() {
  if (route_.has_value()) route_->cut();
  route_.reset();
  stream_ = 0;
  if (cancelled_) std::exchange(cancelled_, nullptr)();
}

/// A legacy client that leaves does not cancel its call, whether or not it can come back. Its
/// connection does not wait for what comes any more.
void ResumableExchange::on_gone(std::uint64_t connection) {
  if (connection != connection_ || !route_.has_value()) return;
  route_->cut();
  route_.reset();
}

}  // namespace bartizan
