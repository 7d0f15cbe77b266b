#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The calls in progress of one instance, by the instance's own numbers. This is what keeps clients
/// apart who share a server: only the number a server answers with decides who gets the answer, and
/// each number is given once (CVE-2026-25536).
///
/// Threads: those of its instance.
class InFlight {
 public:
  /// Input: `before_first`, the number before the first that is given.
  explicit InFlight(std::size_t calls_max, std::uint64_t before_first = 0)
      : calls_max_(calls_max), before_first_(before_first), last_id_(before_first) {}

  /// The next number, never given before by this instance.
  std::uint64_t next_id() { return ++last_id_; }

  /// Whether a number was given out, to a call that may be over by now.
  bool was_given(std::uint64_t id) const { return id > before_first_ && id <= last_id_; }

  bool has_room() const { return calls_.size() < calls_max_; }
  void add(std::uint64_t id, std::shared_ptr<PendingCall> pending);
  /// Forgets the call with that id and returns it; null when there is none.
  std::shared_ptr<PendingCall> take(std::uint64_t id);
  std::shared_ptr<PendingCall> find(std::uint64_t id) const;
  bool has(std::uint64_t id) const { return calls_.contains(id); }
  std::optional<std::uint64_t> id_of(const std::shared_ptr<PendingCall>& pending) const;
  /// The call that a message without number must belong to: the only one in progress that does not
  /// stand aside, or null. Cost: one pass over the calls in progress.
  std::shared_ptr<PendingCall> only() const;

  std::size_t size() const { return calls_.size(); }
  /// Fails everything in progress.
  void fail_calls(const Error& error);

 private:
  std::size_t calls_max_;
  std::uint64_t before_first_;
  std::uint64_t last_id_;
  std::unordered_map<std::uint64_t, std::shared_ptr<PendingCall>> calls_;
};

/// The number that an id or a progress token of a server's is, as official clients read it: `3`,
/// `"3"` and `3.0` are one. Nothing for what is no whole number.
std::optional<std::uint64_t> number_of(JsonValue id);

/// Routes one message of a server's to the call that it is about: an answer by its id, progress by
/// its token, a subscription's notification by its subscription id, anything else to the only call
/// in progress. An answer ends the call's entry. Null when it belongs to none.
std::shared_ptr<PendingCall> route(InFlight& in_flight, const Message& message);

/// The call whose answer could not be read, by the id that could; its entry ends. Null when the
/// text was no answer, or nobody's.
std::shared_ptr<PendingCall> route_refused(InFlight& in_flight, const RefusedMessage& refused);

/// Why a server's text is not taken for a message, as its caller is told: what is wrong with it,
/// and where.
Error unreadable(const RefusedMessage& refused);

/// Why a call is judged once more: the server whose list it was judged by is gone, and another one
/// stands in its place. Nothing was done with it.
Error begun_anew();

/// The permitted bytes with the instance's number in place of id and progress token.
std::string number_request(OutboundRequest& request, std::uint64_t id);

}  // namespace bartizan
