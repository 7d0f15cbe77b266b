// Messages of clients that speak another protocol than MCP on a wire.
#include <utility>

#include "gateway/catalogue/naming.h"
#include "gateway/client/fabricore_exchange.h"
#include "gateway/client/groundhog_exchange.h"
#include "gateway/client/wire_client.h"
#include "gateway/client/wire_exchange.h"

namespace bartizan {

/// Translates a Groundhog message to MCP, and dispatches it like any other. A registration, for
/// which MCP has no message, stays unchanged.
Task<void> WireClient::translate_groundhog(ReceivedMessage received, std::size_t bytes) {
  auto asked = read_groundhog_request(received.message);
  if (!asked.has_value()) {
    const JsonValue id = received.message.id;
    co_return reject(asked.error().code, asked.error().detail, id ? id.raw() : "");
  }
  std::string message = std::exchange(asked->message, {});
  Asked shared{.groundhog = std::make_shared<const GroundhogRequest>(*std::move(asked))};
  if (message.empty()) {
    co_return co_await dispatch(std::move(received), bytes, std::move(shared));
  }
  co_await dispatch_translated(std::move(received), bytes, std::move(message), std::move(shared));
}

/// Translates a request for an agent to a call of one of its tools.
Task<void> WireClient::translate_fabricore(ReceivedMessage received, std::size_t bytes) {
  const Message& message = received.message;
  const auto& servers = worker_.snapshot->config.servers;
  const auto server = servers.find(terms_.agent);
  // A reload ends a wire to an agent that is gone.
  if (server == servers.end() || !server->second.agent.has_value()) co_return drain();
  auto asked = read_fabricore_request(received.document->root(), [&server](std::string_view tool) {
    return exposed_name(server->second, tool);
  });
  if (!asked.has_value()) {
    const JsonValue id = message.id;
    co_return reject(asked.error().code, asked.error().detail, id ? id.raw() : "");
  }
  std::string call = std::exchange(asked->message, {});
  Asked shared{.fabricore = std::make_shared<const FabricoreRequest>(*std::move(asked))};
  co_await dispatch_translated(std::move(received), bytes, std::move(call), std::move(shared));
}

/// Dispatches the MCP message that stands for the received one.
Task<void> WireClient::dispatch_translated(ReceivedMessage received, std::size_t bytes,
                                           std::string message, Asked asked) {
  Receipt receipt =
      receive_message(worker_.loop, worker_.gateway.memory, Bytes(std::move(message)), {});
  worker_.loop.give_back(std::exchange(received.document, nullptr));
  if (!receipt.has_value()) {
    const RefusedMessage& refused = receipt.error();
    co_return reject(refused.error.code, refused.error.detail, refused.id_json);
  }
  co_await dispatch(std::move(*receipt), bytes, std::move(asked));
}

std::shared_ptr<WireExchange> WireClient::make_exchange(std::string id_json, Era era, Asked asked) {
  if (asked.groundhog != nullptr) {
    return std::make_shared<GroundhogExchange>(shared_from_this(), std::move(id_json), era,
                                               std::move(asked.groundhog));
  }
  if (asked.fabricore != nullptr) {
    return std::make_shared<FabricoreExchange>(shared_from_this(), std::move(id_json), era,
                                               std::move(asked.fabricore));
  }
  return std::make_shared<WireExchange>(shared_from_this(), std::move(id_json), era);
}

}  // namespace bartizan
