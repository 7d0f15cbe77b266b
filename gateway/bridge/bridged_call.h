#pragma once

#include <memory>
#include <string_view>

#include "gateway/message/pending_call.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/random.h"
#include "gateway/upstream/upstream_set.h"

namespace bartizan {

/// One permitted call between a client and a server of different eras. It acts as a server in the
/// client's era towards the call, and as a client in the server's era towards the server. It judges
/// nothing: the server's messages pass all checks afterwards, like those of any server.
///
/// Threads: those of the call, except where a source says otherwise.
/// Source:  MCP 2026-07-28, basic/versioning, "Compatibility Matrix".
class BridgedCall {
 public:
  BridgedCall() = default;
  BridgedCall(const BridgedCall&) = delete;
  BridgedCall& operator=(const BridgedCall&) = delete;
  virtual ~BridgedCall() = default;

  /// Sends the request in the server's era. All messages about it arrive in `client`, in the
  /// client's era. Called once.
  virtual void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) = 0;
  /// Ends a call that nobody waits for. The server is notified in its own era's way.
  virtual void cancel() = 0;

  /// Takes the client's judged response to the bridge's request with that id.
  virtual void answer(std::string_view id_json, Permit answer);
  /// Notes that the bridge's request with that id goes to no client.
  virtual void refuse(std::string_view id_json);
};

/// The parts that a bridged call uses. Lifetime: as long as its worker.
struct BridgeParts {
  Loop& loop;
  MemoryBudget& memory;
  Random& random;
  const UpstreamEvents& events;  ///< Records the gateway's own messages.
};

/// Delivers a message of the bridge as if the server had sent it. False if there is no room for it.
/// Input:  the text of one JSON-RPC message.
/// Errors: the call fails if the memory budget has no room.
bool deliver_text(const BridgeParts& parts, PendingCall& client, std::string text);

/// Records and then sends a request of the gateway's own. Everything about it arrives in `pending`,
/// including a failure to record it.
/// Input: `params`, one JSON object of constants and of judged values.
Task<void> send_own(BridgeParts parts, UpstreamHandle server, GatewayMessage kind,
                    std::string method, std::string params, std::shared_ptr<PendingCall> pending);

/// A response of a bridge with this error. Input: one JSON object.
std::string error_answer(std::string_view error_json);

/// The id of a bridge's responses. The call replaces it by its client's id.
inline constexpr std::string_view kBridgeId = "1";

}  // namespace bartizan
