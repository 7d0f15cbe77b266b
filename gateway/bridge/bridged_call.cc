#include "gateway/bridge/bridged_call.h"

#include <utility>

#include "gateway/upstream/in_flight.h"
#include "schemas/message/write_message.h"

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

Task<void> send_own(BridgeParts parts, UpstreamHandle server, GatewayMessage kind,
                    std::string method, std::string params, std::shared_ptr<PendingCall> pending) {
  const Result<void> recorded = co_await parts.events.record_gateway_message(server.key(), method);
  if (!recorded.has_value()) co_return pending->fail(recorded.error());
  OutboundRequest request{.permit = Permit::own(kind, write_request("0", method, params)),
                          .method = method};
  const std::size_t id = request.permit.bytes().find(R"("id":0)");
  request.id = {id + 5, id + 6};
  server.call(std::move(request), std::move(pending));
}

}  // namespace bartizan
