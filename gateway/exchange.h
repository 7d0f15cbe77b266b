#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gateway/memory_budget.h"
#include "policy/reason.h"
#include "schemas/result.h"

namespace bartizan {

/// How one inbound message ends.
struct Answer {
  std::string message;  ///< One JSON-RPC message; empty where nothing is owed (a notification).
  /// Set when the protocol itself refuses; a transport with statuses then uses one of its own.
  std::optional<ErrorCode> protocol_error = std::nullopt;
  /// Set by `initialize`: names the session from now on. A transport without names ignores it.
  std::string session_id = {};
  /// What a large message takes of the budget until it is written.
  MemoryBudget::Reservation memory = {};
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
  /// Ends the exchange; called once.
  virtual void finish(Answer answer) = 0;
  /// `cancelled` is called once, on the worker that handles the call, if the client goes away
  /// before the end and that is a cancellation in its era. Replaces an earlier one.
  virtual void on_cancel(std::move_only_function<void()> cancelled) = 0;
};

}  // namespace bartizan
