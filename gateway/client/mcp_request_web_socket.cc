// A request that begins a WebSocket, and the client on it.
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/client/web_socket_upgrade.h"
#include "gateway/client/wire_client.h"
#include "gateway/framing/stream_wire.h"
#include "gateway/identity/protected_resource.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// A connection keeps its protocol.
EndpointConfig::Protocol protocol_at(const Config& config,
                                     const std::optional<std::string>& endpoint) {
  const auto found = config.endpoints.find(endpoint.value_or(""));
  return found == config.endpoints.end() ? EndpointConfig::Protocol::mcp : found->second.protocol;
}

}  // namespace

/// The terms of a wire that begins with a request.
WireTerms McpRequest::wire_terms(Transport transport) const {
  const auto certificates = connection_.peer().certificates();
  WireTerms terms{
      .transport = transport,
      .source = connection_.peer().address().source,
      .network = connection_.peer().address().network,
      .endpoint = endpoint_,
      .certificates = {certificates.begin(), certificates.end()},
      .implies_handshake = implies_handshake(snapshot_->config, endpoint_.value_or(""))};
  if (const auto shown = head_.find(KnownHeader::authorization)) terms.authorization = *shown;
  // The request lasts as long as its wire.
  terms.is_let_in = [this, transport, endpoint = endpoint_,
                     spoken = protocol()](const SnapshotPtr& present) {
    const ListenConfig& listen = present->config.listen;
    const bool is_offered = transport == Transport::sse ? listen.sse : listen.web_socket;
    return is_offered && protocol_at(present->config, endpoint) == spoken &&
           endpoint_at(present->config, head_.path()) == endpoint &&
           connection_.peer().read_certificate(head_, present, seconds_now()).has_value();
  };
  return terms;
}

/// The protocol of the request's endpoint.
EndpointConfig::Protocol McpRequest::protocol() const {
  return protocol_at(snapshot_->config, endpoint_);
}

/// Upgrades to a WebSocket. Null if the request was refused, or its client is gone.
Task<std::shared_ptr<StreamWire>> McpRequest::upgrade(StreamWireTerms terms) {
  if (const auto fault = find_upgrade_fault(head_)) {
    co_await connection_.refuse(
        {.status = 426,
         .reason = Reason::http_malformed,
         .detail = std::string(*fault),
         .headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}}});
    co_return nullptr;
  }
  const std::string answer = write_upgrade(head_);
  const Result<void> written = co_await connection_.stream().write(answer, limits::write_deadline);
  if (!written.has_value()) co_return nullptr;
  auto [stream, begun] = connection_.take_stream();
  terms.framing = Framing::web_socket_server;
  co_return std::make_shared<StreamWire>(worker_.loop, worker_.gateway.memory, worker_.random,
                                         std::move(stream), terms, std::move(begun));
}

/// The request proves the client, and proves it again for each message.
/// Input: `agent`, the server whose agent a Fabricore orchestrator speaks to; otherwise empty.
Task<bool> McpRequest::serve_web_socket(std::string agent) {
  WireTerms terms = wire_terms(Transport::web_socket);
  terms.speaks_groundhog = protocol() == EndpointConfig::Protocol::groundhog;
  terms.agent = std::move(agent);
  if (protocol() != EndpointConfig::Protocol::mcp) {
    terms.answers_only = true;
    terms.implies_handshake = true;
  }
  Worker& worker = worker_;
  auto wire = co_await upgrade({.message_bytes_max = limits::request_bytes_max,
                                .queue_bytes_max = limits::wire_output_bytes_max});
  if (wire != nullptr) co_await serve_wire(worker, std::move(terms), std::move(wire));
  co_return false;
}

}  // namespace bartizan
