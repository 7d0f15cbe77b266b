#pragma once

#include <memory>
#include <string_view>

#include "gateway/message/pending_call.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/random.h"
#include "gateway/upstream/upstream_set.h"

namespace bartizan {

/// One permitted call between a client and a server of different eras. To the call it stands in the
/// place of the server, in the client's era; to the server it is a client of the server's own.
/// Nothing is judged here: what a server says passes all checks afterwards, as of any server.
///
/// Threads: those of the call, except where a source says otherwise.
/// Source:  MCP 2026-07-28, basic/versioning, "Compatibility Matrix".
class BridgedCall {
 public:
  BridgedCall() = default;
  BridgedCall(const BridgedCall&) = delete;
  BridgedCall& operator=(const BridgedCall&) = delete;
  virtual ~BridgedCall() = default;

  /// Sends the request in the server's era. Everything about it arrives in `client`, in the era of
  /// the client. Called once.
  virtual void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) = 0;
  /// Nobody waits for the call any more: the server is told so in its own way.
  virtual void cancel() = 0;

  /// The client's answer, judged, to a request that came from here under that id.
  virtual void answer(std::string_view id_json, Permit answer);
  /// The request that came from here under that id goes to no client.
  virtual void refuse(std::string_view id_json);
};

/// What a bridged call works with. Lifetime: as long as its worker.
struct BridgeParts {
  Loop& loop;
  MemoryBudget& memory;
  Random& random;
  const UpstreamEvents& events;  ///< Records what leaves on the gateway's own account.
};

/// Delivers a message of the bridge's own making as if the server had sent it. False where there is
/// no room for it.
/// Input:  the text of one JSON-RPC message.
/// Errors: the call is failed where the memory budget has no room.
bool deliver_text(const BridgeParts& parts, PendingCall& client, std::string text);

/// Sends a request of the gateway's own, once it is on record; everything about it arrives in
/// `pending`, the failure to record it, too.
/// Input: `params`, one JSON object of constants and of what was judged.
Task<void> send_own(BridgeParts parts, UpstreamHandle server, GatewayMessage kind,
                    std::string method, std::string params, std::shared_ptr<PendingCall> pending);

/// An answer of a bridge's making that is this error. Input: one JSON object.
std::string error_answer(std::string_view error_json);

/// The id of answers that a bridge makes. The call puts its client's own in its place.
inline constexpr std::string_view kBridgeId = "1";

}  // namespace bartizan
