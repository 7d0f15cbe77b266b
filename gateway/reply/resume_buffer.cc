#include "gateway/reply/resume_buffer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "gateway/reply/resumable_exchange.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// A decimal number as the gateway writes it: no sign, no leading zero.
std::optional<std::uint64_t> parse_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return value;
}

std::uint64_t cost_of(const ResumeEvent& event) {
  return limits::kept_event_bytes + event.subject.server.size() + event.subject.uri.size() +
         event.message.size();
}

}  // namespace

std::string text(EventId id) {
  return std::to_string(id.stream) + "-" + std::to_string(id.number);
}

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto stream = parse_number(text.substr(0, dash));
  const auto number = parse_number(text.substr(dash + 1));
  if (!stream.has_value() || *stream == 0 || !number.has_value()) return std::nullopt;
  return EventId{*stream, *number};
}

ResumeBuffer::ResumeBuffer(ResumeBudget& share, std::string principal)
    : share_(share), principal_(std::move(principal)), holder_(share.join(principal_, *this)) {}

ResumeBuffer::~ResumeBuffer() {
  close();
  share_.leave(principal_, *this);
}

std::uint64_t ResumeBuffer::begin(StreamOrigin origin, std::weak_ptr<ResumableExchange> exchange) {
  if (is_closed_) return 0;
  auto memory = take(limits::kept_stream_bytes + origin.request.size());
  if (!memory.has_value()) return 0;
  streams_.emplace(++last_stream_,
                   Stream{.origin = std::make_shared<const StreamOrigin>(std::move(origin)),
                          .memory = std::move(*memory),
                          .exchange = std::move(exchange)});
  return last_stream_;
}

ResumeEventPtr ResumeBuffer::add(std::uint64_t stream, std::string message, Subject subject,
                                 Clock::time_point now) {
  auto event = std::make_shared<ResumeEvent>(ResumeEvent{.id = {stream, 0},
                                                         .message = std::move(message),
                                                         .subject = std::move(subject),
                                                         .sent = now});
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return event;
  Stream& its = found->second;
  event->id.number = ++its.last;
  const std::uint64_t cost = cost_of(*event);
  if (cost <= limits::kept_bytes_max) {
    while (its.events.size() >= limits::kept_events_max ||
           its.bytes + cost > limits::kept_bytes_max)
      drop_first(its);
    // That may cost the stream what it kept before, not the stream itself: it is not over.
    if (auto memory = take(cost)) event->memory = std::move(*memory);
  }
  if (event->memory.bytes() == 0) {
    // Without it, what came before leads nowhere.
    forget_events(its);
    its.lost = event->id.number;
    return event;
  }
  its.bytes += cost;
  its.events.push_back(event);
  return event;
}

void ResumeBuffer::finish(std::uint64_t stream, Clock::time_point now) {
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second.ended.has_value()) return;
  if (found->second.events.empty()) {
    erase(found);
    return;
  }
  found->second.ended = now;
  ended_.push_back(stream);
}

void ResumeBuffer::drop(std::uint64_t stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  if (found->second.ended.has_value()) std::erase(ended_, stream);
  erase(found);
}

bool ResumeBuffer::drop_oldest() {
  if (!ended_.empty()) {
    erase(streams_.find(ended_.front()));
    ended_.pop_front();
    return true;
  }
  const auto found =
      std::ranges::find_if(streams_, [](const auto& one) { return !one.second.events.empty(); });
  if (found == streams_.end()) return false;
  forget_events(found->second);
  return true;
}

void ResumeBuffer::expire(Clock::time_point now) {
  while (!ended_.empty() && now - *streams_.at(ended_.front()).ended > limits::kept_age_max)
    drop_oldest();
  for (auto& [number, stream] : streams_) {
    if (stream.ended.has_value()) continue;  // Kept whole, from its end on.
    while (!stream.events.empty() && now - stream.events.front()->sent > limits::kept_age_max)
      drop_first(stream);
  }
}

void ResumeBuffer::close() {
  is_closed_ = true;
  ended_.clear();
  for (auto stream = streams_.begin(); stream != streams_.end();)
    stream = erase(stream);
}

std::shared_ptr<const StreamOrigin> ResumeBuffer::origin(EventId id) const {
  const Stream* stream = find(id);
  return stream == nullptr ? nullptr : stream->origin;
}

std::optional<ResumeBuffer::Following> ResumeBuffer::after(EventId id) const {
  const Stream* stream = find(id);
  if (stream == nullptr) return std::nullopt;
  Following following{
      .events = {}, .is_over = stream->ended.has_value(), .exchange = stream->exchange.lock()};
  for (const ResumeEventPtr& event : stream->events) {
    if (event->id.number > id.number) following.events.push_back(event);
  }
  return following;
}

std::uint64_t ResumeBuffer::count_return(std::uint64_t stream) {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : ++found->second.returns;
}

bool ResumeBuffer::is_last_return(std::uint64_t stream, std::uint64_t number) const {
  const auto found = streams_.find(stream);
  return found != streams_.end() && found->second.returns == number;
}

/// The stream of that event, if all that followed it is there.
const ResumeBuffer::Stream* ResumeBuffer::find(EventId id) const {
  const auto found = streams_.find(id.stream);
  if (found == streams_.end()) return nullptr;
  const bool is_known = id.number <= found->second.last && id.number >= found->second.lost;
  return is_known ? &found->second : nullptr;
}

std::optional<MemoryBudget::Reservation> ResumeBuffer::take(std::uint64_t bytes) {
  auto memory = share_.take(holder_, bytes);
  if (memory.has_value()) bytes_ += bytes;
  return memory;
}

void ResumeBuffer::give_back(std::uint64_t bytes) {
  bytes_ -= bytes;
  share_.give_back(holder_, bytes);
}

void ResumeBuffer::drop_first(Stream& stream) {
  const ResumeEvent& first = *stream.events.front();
  const std::uint64_t cost = first.memory.bytes();
  stream.lost = first.id.number;
  stream.bytes -= cost;
  stream.events.pop_front();
  give_back(cost);
}

void ResumeBuffer::forget_events(Stream& stream) {
  while (!stream.events.empty())
    drop_first(stream);
}

ResumeBuffer::Streams::iterator ResumeBuffer::erase(Streams::iterator stream) {
  forget_events(stream->second);
  give_back(stream->second.memory.bytes());
  return streams_.erase(stream);
}

}  // namespace bartizan
