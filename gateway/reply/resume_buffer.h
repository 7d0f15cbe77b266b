#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/record.h"
#include "gateway/message/exchange.h"
#include "gateway/reply/resume_budget.h"
#include "gateway/runtime/memory_budget.h"

namespace bartizan {

class ResumableExchange;

/// Names one event among all that a session's streams carry. Nobody need be unable to guess it: it
/// is looked up in a session that was found for its principal.
struct EventId {
  std::uint64_t stream = 0;  ///< From 1.
  std::uint64_t number = 0;  ///< From 1; 0 stands before the first event of its stream.
  bool operator==(const EventId&) const = default;
};
/// `STREAM-NUMBER`, as it goes over the wire.
std::string text(EventId id);
/// The id of exactly that spelling, or nothing.
std::optional<EventId> parse_event_id(std::string_view text);

/// What a stream answers: what is judged again before anything is sent again.
struct StreamOrigin {
  DecisionId decision_id = {};  ///< Of the call; empty for the session's own stream.
  std::string request = {};     ///< The call as the client sent it; empty for such a stream.
  /// What a name in it meant then; empty where it named nothing of one server.
  std::string server = {}, target = {};
};

/// One message that a stream carried, and what judging must know before it is sent again. Held by
/// the session's kept events and by each connection that it waits to be written to; its memory is
/// given back with the last of them, so nothing is ever copied to be sent again.
///
/// Threads: any, once made.
struct ResumeEvent {
  EventId id;
  std::string message;
  Subject subject;
  std::chrono::steady_clock::time_point sent;
  MemoryBudget::Reservation memory = {};  ///< Nothing where there was no room to keep it.

  /// As it goes over the wire; empty where the session has ended, and nothing can be resumed.
  std::string id_text() const { return id.number == 0 ? std::string() : text(id); }
};
using ResumeEventPtr = std::shared_ptr<const ResumeEvent>;

/// What one session's streams carried, to be sent again to a client that comes back. Each stream is
/// bounded in events, bytes and age, all of them by what the principal may keep; a stream that lost
/// events says so rather than leave a gap.
///
/// Threads: the session's home worker's.
class ResumeBuffer {
 public:
  using Clock = std::chrono::steady_clock;

  /// What follows an event.
  struct Following {
    std::vector<ResumeEventPtr> events;
    bool is_over = false;                         ///< The last of them ends the stream.
    std::shared_ptr<ResumableExchange> exchange;  ///< Null when nothing more can come.
  };

  ResumeBuffer(ResumeBudget& share, std::string principal);
  ResumeBuffer(const ResumeBuffer&) = delete;
  ResumeBuffer& operator=(const ResumeBuffer&) = delete;
  ~ResumeBuffer();

  /// Begins a stream. Its number, or 0 when there is no room for it.
  std::uint64_t begin(StreamOrigin origin, std::weak_ptr<ResumableExchange> exchange);
  /// Makes the next event of a stream, and keeps it if there is room.
  ResumeEventPtr add(std::uint64_t stream, std::string message, Subject subject,
                     Clock::time_point now);
  /// Nothing follows on that stream.
  void finish(std::uint64_t stream, Clock::time_point now);
  /// Forgets a stream and its events.
  void drop(std::uint64_t stream);
  /// Makes room: forgets the stream that ended first, or else the events of the oldest one that
  /// goes on. False when there are none.
  bool drop_oldest();
  /// Forgets what is too old.
  void expire(Clock::time_point now);
  /// Forgets everything, and keeps nothing from now on: the session has ended.
  void close();
  bool is_closed() const { return is_closed_; }

  /// What the stream of `id` answers; null for an id that was never given, or whose successors are
  /// not all there any more.
  std::shared_ptr<const StreamOrigin> origin(EventId id) const;
  /// What follows `id`; nothing where `origin` is null.
  std::optional<Following> after(EventId id) const;

  /// Somebody comes back for that stream, and whoever did before does so no longer. The number is
  /// for `is_last_return`.
  std::uint64_t count_return(std::uint64_t stream);
  bool is_last_return(std::uint64_t stream, std::uint64_t number) const;

  /// Of all that is kept.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Stream {
    std::shared_ptr<const StreamOrigin> origin;
    MemoryBudget::Reservation memory;
    std::weak_ptr<ResumableExchange> exchange;
    std::uint64_t last = 0;  ///< The number last given.
    std::uint64_t lost = 0;  ///< The highest number that is not kept any more.
    std::uint64_t bytes = 0;
    std::uint64_t returns = 0;
    std::optional<Clock::time_point> ended = {};
    std::deque<ResumeEventPtr> events = {};
  };
  using Streams = std::map<std::uint64_t, Stream>;

  const Stream* find(EventId id) const;
  std::optional<MemoryBudget::Reservation> take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);
  void drop_first(Stream& stream);
  void forget_events(Stream& stream);
  Streams::iterator erase(Streams::iterator stream);

  ResumeBudget& share_;
  std::string principal_;
  ResumeBudget::Holder& holder_;
  std::uint64_t bytes_ = 0;
  Streams streams_;
  /// Streams that are over, in the order in which they ended.
  std::deque<std::uint64_t> ended_;
  std::uint64_t last_stream_ = 0;
  bool is_closed_ = false;
};

}  // namespace bartizan
