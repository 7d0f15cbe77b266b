#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/runtime/memory_shares.h"
#include "policy/verdict/reason.h"
#include "schemas/base/result.h"
#include "schemas/message/method.h"

namespace bartizan {

struct Keeping;

/// What a message that is not the last is about: what judging must know if it is to be sent again.
struct Subject {
  std::string server = {};  ///< That sent it; empty for the gateway's own.
  MethodId method = MethodId::unknown;
  std::string uri = {};       ///< Of a resource that changed.
  std::uint64_t request = 0;  ///< The number that the gateway gave a server's request.
};

/// What a transport with statuses and headers says beside an answer's message. Others leave it out.
struct AnswerStatus {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// How one inbound message ends.
struct Answer {
  std::string message;  ///< One JSON-RPC message; empty where nothing is owed (a notification).
  /// Set when the protocol itself refuses; a transport with statuses then uses one of its own.
  std::optional<ErrorCode> protocol_error = std::nullopt;
  /// Of a refusal that has a status of its own; null otherwise. Where the answer has begun as a
  /// stream, or is of a batch, nobody is told.
  std::shared_ptr<const AnswerStatus> status = nullptr;
  /// Set by `initialize`: names the session from now on. A transport without names ignores it.
  std::string session_id = {};
  /// What a large message takes of its principal's share of the budget until it is written.
  MemoryShares::Held memory = {};
};

/// One inbound message, any number of outbound ones, one end, cancel: what every transport gives
/// to `handle_call`, which knows no other thing about it.
///
/// Threads: `send`, `finish` and `on_cancel` from the worker that handles the call; the transport
///          brings them to its own.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Sends a message that is not the last. Never waits: a client that reads too slowly is cut off.
  virtual void send(std::string message) = 0;
  /// Sends a message that is not the last, where the transport may have to send it again: `subject`
  /// is what it is judged by then. Never waits.
  virtual void send_about(std::string message, const Subject& /*subject*/) {
    send(std::move(message));
  }
  /// Whether a client that loses its connection can come back for the rest. If so, `keeping` is
  /// asked once for where that is kept, when the answer becomes a stream, and not after the end.
  virtual bool is_resumable() const { return false; }
  virtual void on_open(std::move_only_function<Keeping()> /*keeping*/) {}
  /// The server has gone away from the call and will come back to it (SEP-1699): a transport whose
  /// clients can do the same may let this one go.
  virtual void pause() {}
  /// The call of a tool was decided under that id, and its tool asks for these permissions. Called
  /// before it leaves, and again where it is judged anew.
  virtual void on_decision(std::string_view /*decision_id*/,
                           std::span<const std::string> /*permissions*/) {}
  /// Whether a client is there to hear of it now.
  virtual bool has_listener() const { return true; }
  /// Ends the exchange; called once.
  virtual void finish(Answer answer) = 0;
  /// `cancelled` is called once, on the worker that handles the call, if the client goes away
  /// before the end and that is a cancellation in its era. Replaces an earlier one.
  virtual void on_cancel(std::move_only_function<void()> cancelled) = 0;
};

}  // namespace bartizan
