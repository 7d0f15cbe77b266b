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

/// What a transport knows of a message besides its bytes.
struct Arrival {
  Transport transport = Transport::http;
  /// Under which `caller` was proved.
  SnapshotPtr snapshot;
  Authenticated caller;
  /// Why nobody was proved, where there is no caller.
  AuthenticationFailure unproved = {Reason::principal_unknown, "the caller is not a principal"};
  std::string source;
  /// Of a legacy message: the session that it names, or that its connection is. Empty for none.
  std::string session_id = {};
  /// The revision that a batch is read by; nothing where the client agreed on none.
  std::optional<ProtocolVersion> agreed = {};
  /// Of a transport that has headers, where they repeat parts of the message; null otherwise.
  std::shared_ptr<const HeadInBytes> head = {};
  std::size_t bytes = 0;
  bool answers_only = false;  ///< As in `Inbound`.
};

/// Why a message begins no call. The transport says so in its own way, and puts it on record.
struct MessageRefusal {
  enum class Cause : std::uint8_t {
    protocol,  ///< It may not come here as it is. `code` is the protocol error.
    denial     ///< It may not come here now: as a call that is refused for `reason`.
  };
  Cause cause = Cause::denial;
  Reason reason = Reason::invalid_request;
  ErrorCode code = ErrorCode::invalid_request;
  std::string detail = {};     ///< A sentence of ours, for the record and for the client.
  std::string id_json = {};    ///< Of the message; empty where it has none, or is a batch.
  std::string data_json = {};  ///< What the error's `data` says.
};

/// A message that may begin a call, or a batch of such messages, and the worker where it does.
struct Admitted {
  Worker* home = nullptr;
  std::unique_ptr<Inbound> inbound;            ///< Of a batch: what its elements have in common.
  std::vector<ReceivedMessage> elements = {};  ///< Of a batch.
};

/// Decides what a message is before it is a call: the era that it is served in, the session and
/// the worker that it belongs to, and, of a batch, its elements. All transports come through here.
///
/// What the transport itself must know first (who calls, whether servers have answered yet, whether
/// there is room) it finds out before. Of a transport with headers the head is a cross-check.
/// Errors:  unsupported_version, header_mismatch, invalid_params, invalid_request of `classify`;
///          a session that is missing, unknown or begun twice; a batch that is none, or not of
///          2025-03-26; an era that no server speaks; a caller who is no principal; a gateway that
///          stops.
/// Threads: those of `worker`, where the message arrived.
/// Source:  MCP 2025-11-25, basic/lifecycle; MCP 2026-07-28, basic/versioning.
std::expected<Admitted, MessageRefusal> admit_message(Worker& worker, ReceivedMessage&& received,
                                                      Arrival&& arrival);

/// The worker that gave out a session of that id; null where none did. Whether the session is still
/// there that worker knows.
Worker* home_of_session(const Gateway& gateway, std::string_view id);

/// Whether the servers have been introduced, waiting for that as long as a start of theirs takes.
Task<bool> wait_for_servers(Worker& worker);

/// Handles what was admitted, to the end of `exchange`. Threads: those of its home worker.
void begin_call(Admitted&& admitted, std::shared_ptr<Exchange> exchange);

}  // namespace bartizan
