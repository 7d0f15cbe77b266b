#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/message/exchange.h"

namespace bartizan {

/// The facts about a message that only its transport knows.
struct Arrival {
  Transport transport = Transport::http;
  /// The configuration under which `caller` was proved.
  SnapshotPtr snapshot;
  Authenticated caller;
  /// Why nobody was proved, if there is no caller.
  AuthenticationFailure unproved = {Reason::principal_unknown, "the caller is not a principal"};
  std::string source;
  /// For a legacy message: the session that it names, or that its connection is. Empty for none.
  std::string session_id = {};
  /// The revision by which a batch is read; nothing if the client agreed on none.
  std::optional<ProtocolVersion> agreed = {};
  /// The request head of a transport whose headers repeat parts of the message; otherwise null.
  std::shared_ptr<const HeadInBytes> head = {};
  std::size_t bytes = 0;
  bool answers_only = false;  ///< As in `Inbound`.
};

/// Why a message does not begin a call. The transport reports it in its own way and records it.
struct MessageRefusal {
  enum class Cause : std::uint8_t {
    protocol,  ///< The message may not arrive in this form. `code` is the protocol error.
    denial     ///< The message is refused now, like a call that is refused for `reason`.
  };
  Cause cause = Cause::denial;
  Reason reason = Reason::invalid_request;
  ErrorCode code = ErrorCode::invalid_request;
  std::string detail = {};     ///< A sentence of the gateway, for the record and the client.
  std::string id_json = {};    ///< The message's id; empty for none and for batches.
  std::string data_json = {};  ///< The `data` of the error.
};

/// A message that may begin a call, or a batch of such messages, and its worker.
struct Admitted {
  Worker* home = nullptr;
  std::unique_ptr<Inbound> inbound;            ///< For a batch: what its elements have in common.
  std::vector<ReceivedMessage> elements = {};  ///< Empty unless it is a batch.
};

/// Classifies a message before it becomes a call: its era, its session, its worker, and the
/// elements of a batch. Messages of all transports pass through it. The transport itself checks
/// first who calls, whether servers have answered, and whether there is room. The head of a
/// transport with headers is a cross-check.
///
/// Errors:  unsupported_version, header_mismatch, invalid_params and invalid_request of `classify`.
/// A session that is missing, unknown or begun twice. A malformed batch, or one of a revision other
/// than 2025-03-26. A caller who is not a principal. A gateway that is stopping.
/// Threads: those of `worker`, where the message arrived.
/// Source:  MCP 2025-11-25, basic/lifecycle; MCP 2026-07-28, basic/versioning.
std::expected<Admitted, MessageRefusal> admit_message(Worker& worker, ReceivedMessage&& received,
                                                      Arrival&& arrival);

/// The worker that issued a session id; null if none did. Only that worker knows whether the
/// session still exists.
Worker* home_of_session(const Gateway& gateway, std::string_view id);

/// Waits until the servers have been introduced, at most as long as a server's start may take.
/// Returns whether they have been.
Task<bool> wait_for_servers(Worker& worker);

/// Handles an admitted message to the end of `exchange`. Threads: those of its home worker.
void begin_call(Admitted&& admitted, std::shared_ptr<Exchange> exchange);

}  // namespace bartizan
