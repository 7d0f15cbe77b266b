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

/// The id of one event among all streams of a session. It may be guessable: it is looked up in a
/// session that was found for its principal.
struct EventId {
  std::uint64_t stream = 0;  ///< From 1.
  std::uint64_t number = 0;  ///< From 1; 0 is before the first event of its stream.
  bool operator==(const EventId&) const = default;
};
/// `STREAM-NUMBER`, as on the wire.
std::string text(EventId id);
/// The id with exactly that spelling, or nothing.
std::optional<EventId> parse_event_id(std::string_view text);

/// The origin of a stream. It is judged again before anything is sent again.
struct StreamOrigin {
  DecisionId decision_id = {};  ///< Of the call; empty for the session's own stream.
  std::string request = {};     ///< The call as the client sent it; empty for such a stream.
  /// The resolved names in the request at that time; empty if it named nothing of one server.
  std::string server = {}, target = {};
};

/// One message of a stream, with the data to judge it before it is sent again. The session's buffer
/// and each connection that will write it hold it. The last of them returns its memory, so no copy
/// is needed to send it again.
///
/// Threads: any, once made.
struct ResumeEvent {
  EventId id;
  std::string message;
  Subject subject;
  std::chrono::steady_clock::time_point sent;
  MemoryBudget::Reservation memory = {};  ///< Empty if there was no room to keep it.

  /// As on the wire; empty if the session has ended and nothing can be resumed.
  std::string id_text() const { return id.number == 0 ? std::string() : text(id); }
};
using ResumeEventPtr = std::shared_ptr<const ResumeEvent>;

/// The kept messages of one session's streams, to be sent again to a client that resumes. Each
/// stream is bounded in events, bytes and age; together they are bounded by the principal's memory.
/// A stream that lost events reports that instead of leaving a gap.
///
/// Threads: the session's home worker's.
class ResumeBuffer {
 public:
  using Clock = std::chrono::steady_clock;

  /// The events after an event.
  struct Following {
    std::vector<ResumeEventPtr> events;
    bool is_over = false;                         ///< The last one ends the stream.
    std::shared_ptr<ResumableExchange> exchange;  ///< Null if nothing more can follow.
  };

  ResumeBuffer(ResumeBudget& share, std::string principal);
  ResumeBuffer(const ResumeBuffer&) = delete;
  ResumeBuffer& operator=(const ResumeBuffer&) = delete;
  ~ResumeBuffer();

  /// Begins a stream. Returns its number, or 0 if there is no room for it.
  std::uint64_t begin(StreamOrigin origin, std::weak_ptr<ResumableExchange> exchange);
  /// Makes the next event of a stream, and keeps it if there is room.
  ResumeEventPtr add(std::uint64_t stream, std::string message, Subject subject,
                     Clock::time_point now);
  /// Ends a stream.
  void finish(std::uint64_t stream, Clock::time_point now);
  /// Forgets a stream and its events.
  void drop(std::uint64_t stream);
  /// Makes room: forgets the stream that ended first, or else the events of the oldest running one.
  /// False if there are none.
  bool drop_oldest();
  /// Forgets events that are too old.
  void expire(Clock::time_point now);
  /// Forgets everything, and keeps nothing any more: the session has ended.
  void close();
  bool is_closed() const { return is_closed_; }

  /// The origin of the stream of `id`. Null for an id that was never given, or whose successors are
  /// not all kept.
  std::shared_ptr<const StreamOrigin> origin(EventId id) const;
  /// The events after `id`; nothing if `origin` is null.
  std::optional<Following> after(EventId id) const;

  /// Counts a resumption of that stream, which replaces the one before. Its number is for
  /// `is_last_return`.
  std::uint64_t count_return(std::uint64_t stream);
  bool is_last_return(std::uint64_t stream, std::uint64_t number) const;

  /// The kept bytes.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Stream {
    std::shared_ptr<const StreamOrigin> origin;
    MemoryBudget::Reservation memory;
    std::weak_ptr<ResumableExchange> exchange;
    std::uint64_t last = 0;  ///< The last number.
    std::uint64_t lost = 0;  ///< The highest number that is no longer kept.
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
  /// Ended streams, in the order of their ends.
  std::deque<std::uint64_t> ended_;
  std::uint64_t last_stream_ = 0;
  bool is_closed_ = false;
};

}  // namespace bartizan
