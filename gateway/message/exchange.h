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

/// The subject of a message that is not the last. A repeated message is judged by it.
struct Subject {
  std::string server = {};  ///< The sending server; empty for the gateway.
  MethodId method = MethodId::unknown;
  std::string uri = {};       ///< Of a changed resource.
  std::uint64_t request = 0;  ///< The gateway's number for a server's request.
};

/// Status and headers of an answer, for transports that have them. Others ignore it.
struct AnswerStatus {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// The end of one inbound message.
struct Answer {
  std::string message;  ///< One JSON-RPC message; empty if none is owed (a notification).
  /// Set for a refusal by the protocol itself. A transport with statuses then uses one of its own.
  std::optional<ErrorCode> protocol_error = std::nullopt;
  /// Of a refusal with its own status; otherwise null. Ignored if the answer has begun as a stream,
  /// or belongs to a batch.
  std::shared_ptr<const AnswerStatus> status = nullptr;
  /// Set by `initialize`: the name of the session. A transport without names ignores it.
  std::string session_id = {};
  /// The share of its principal's budget that a large message takes until it is written.
  MemoryShares::Held memory = {};
};

/// One inbound message, any number of outbound ones, one end, cancel. It is all that `handle_call`
/// knows about a transport.
///
/// Threads: `send`, `finish` and `on_cancel` from the worker that handles the call; the transport
///          brings them to its own.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Sends a message that is not the last. Never waits: a client that reads too slowly is
  /// disconnected.
  virtual void send(std::string message) = 0;
  /// Sends a message that is not the last and that the transport may repeat. Before that the
  /// message is judged again by `subject`. Never waits.
  virtual void send_about(std::string message, const Subject& /*subject*/) {
    send(std::move(message));
  }
  /// Whether a disconnected client can resume the answer. If so, `keeping` is called once, when the
  /// answer becomes a stream, and not after the end. It returns where the rest is kept.
  virtual bool is_resumable() const { return false; }
  virtual void on_open(std::move_only_function<Keeping()> /*keeping*/) {}
  /// The server has disconnected from the call and will resume it (SEP-1699). A transport whose
  /// clients can do the same may disconnect this one.
  virtual void pause() {}
  /// The call of a tool was decided under that id, and its tool requires these permissions. Called
  /// before the call is sent, and again if it is judged again.
  virtual void on_decision(std::string_view /*decision_id*/,
                           std::span<const std::string> /*permissions*/) {}
  /// Whether a client is listening now.
  virtual bool has_listener() const { return true; }
  /// Ends the exchange; called once.
  virtual void finish(Answer answer) = 0;
  /// Sets a function that is called once, on the worker that handles the call, if the client
  /// disconnects before the end and its era treats that as a cancellation. Replaces an earlier one.
  virtual void on_cancel(std::move_only_function<void()> cancelled) = 0;
};

}  // namespace bartizan
