#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The calls in progress of one instance, by the instance's own numbers. It separates clients that
/// share a server. The number in the server's response alone decides which client gets it. Each
/// number is used once (CVE-2026-25536).
///
/// Threads: those of its instance.
class InFlight {
 public:
  /// Input: `before_first`, the number before the first that is given.
  explicit InFlight(std::size_t calls_max, std::uint64_t before_first = 0)
      : calls_max_(calls_max), before_first_(before_first), last_id_(before_first) {}

  /// The next number; this instance never gave it before.
  std::uint64_t next_id() { return ++last_id_; }

  /// Whether a number was given to a call. That call may be over.
  bool was_given(std::uint64_t id) const { return id > before_first_ && id <= last_id_; }

  bool has_room() const { return calls_.size() < calls_max_; }
  void add(std::uint64_t id, std::shared_ptr<PendingCall> pending);
  /// Removes and returns the call with that id; null if there is none.
  std::shared_ptr<PendingCall> take(std::uint64_t id);
  std::shared_ptr<PendingCall> find(std::uint64_t id) const;
  bool has(std::uint64_t id) const { return calls_.contains(id); }
  std::optional<std::uint64_t> id_of(const std::shared_ptr<PendingCall>& pending) const;
  /// The call that a message without a number belongs to: the only call in progress that does not
  /// stand aside, or null. Cost: one pass over the calls in progress.
  std::shared_ptr<PendingCall> only() const;

  std::size_t size() const { return calls_.size(); }
  /// Fails all calls in progress.
  void fail_calls(const Error& error);

 private:
  std::size_t calls_max_;
  std::uint64_t before_first_;
  std::uint64_t last_id_;
  std::unordered_map<std::uint64_t, std::shared_ptr<PendingCall>> calls_;
};

/// The number in a server's id or progress token, as official clients read it: `3`, `"3"` and `3.0`
/// are equal. Nothing if it is not a whole number.
std::optional<std::uint64_t> number_of(JsonValue id);

/// Finds the call of a server's message. An answer is routed by its id, progress by its token, and
/// a subscription's notification by its subscription id. Other messages are routed to the only call
/// in progress. An answer removes the call's entry. Null if the message belongs to no call.
std::shared_ptr<PendingCall> route(InFlight& in_flight, const Message& message);

/// The call of an unreadable answer, by the id that could be read. Its entry is removed. Null if
/// the text was not an answer, or not an answer to any call.
std::shared_ptr<PendingCall> route_refused(InFlight& in_flight, const RefusedMessage& refused);

/// The error for the caller about an unreadable message of a server: the fault and its position.
Error unreadable(const RefusedMessage& refused);

/// The error that makes the gateway judge a call again: the server that listed its tool has been
/// replaced by another start. The call was not run.
Error begun_anew();

/// The permitted bytes, with the instance's number as id and progress token.
std::string number_request(OutboundRequest& request, std::uint64_t id);

}  // namespace bartizan
