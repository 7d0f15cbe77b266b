#include "gateway/bridge/bridged_call.h"

#include <utility>

#include "gateway/upstream/in_flight.h"
#include "gateway/upstream/server_handshake.h"

namespace bartizan {

void BridgedCall::answer(std::string_view /*id_json*/, Permit /*answer*/) {}

void BridgedCall::refuse(std::string_view /*id_json*/) {}

bool deliver_text(const BridgeParts& parts, PendingCall& client, std::string text) {
  Receipt receipt =
      receive_message(parts.loop, parts.memory, Bytes(std::move(text)), kResponseLimits);
  if (receipt.has_value()) return client.deliver(std::move(*receipt));
  client.fail(unreadable(receipt.error()));
  return false;
}

std::string error_answer(std::string_view error_json) {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text += kBridgeId;
  text += R"(,"error":)";
  text += error_json;
  return text + "}";
}

Task<void> send_own(BridgeParts parts, UpstreamHandle server, GatewayMessage kind,
                    std::string method, std::string params, std::shared_ptr<PendingCall> pending) {
  const Result<void> recorded = co_await parts.events.record_gateway_message(server.key(), method);
  if (!recorded.has_value()) co_return pending->fail(recorded.error());
  server.call(own_request(kind, method, params), std::move(pending));
}

}  // namespace bartizan
