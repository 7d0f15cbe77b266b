// A request that begins a WebSocket, and the client that is served on it.
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

bool is_groundhog(const Config& config, const std::optional<std::string>& endpoint) {
  const auto found = config.endpoints.find(endpoint.value_or(""));
  return found != config.endpoints.end() &&
         found->second.protocol == EndpointConfig::Protocol::groundhog;
}

}  // namespace

/// What a wire that begins with a request knows of its client.
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
                     speaks = speaks_groundhog()](const SnapshotPtr& present) {
    const ListenConfig& listen = present->config.listen;
    const bool is_offered = transport == Transport::sse ? listen.sse : listen.web_socket;
    // A connection does not change what it speaks.
    return is_offered && is_groundhog(present->config, endpoint) == speaks &&
           endpoint_at(present->config, head_.path()) == endpoint &&
           connection_.peer().read_certificate(head_, present, seconds_now()).has_value();
  };
  return terms;
}

/// Whether the endpoint that the request came to speaks Groundhog.
bool McpRequest::speaks_groundhog() const {
  return is_groundhog(snapshot_->config, endpoint_);
}

/// Whoever is on it was proved by the request, and is proved again by the same for each message.
Task<bool> McpRequest::serve_web_socket() {
  if (const auto fault = find_upgrade_fault(head_)) {
    co_return co_await connection_.refuse(
        {.status = 426,
         .reason = Reason::http_malformed,
         .detail = std::string(*fault),
         .headers = {{"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}}});
  }
  WireTerms terms = wire_terms(Transport::web_socket);
  if (speaks_groundhog()) {
    terms.speaks_groundhog = true;
    terms.answers_only = true;
    terms.implies_handshake = true;
  }
  const std::string answer = write_upgrade(head_);
  const Result<void> written = co_await connection_.stream().write(answer, limits::write_deadline);
  if (!written.has_value()) co_return false;
  auto [stream, begun] = connection_.take_stream();
  auto wire = std::make_shared<StreamWire>(
      worker_.loop, worker_.gateway.memory, worker_.random, std::move(stream),
      StreamWireTerms{.framing = Framing::web_socket_server,
                      .message_bytes_max = limits::request_bytes_max,
                      .queue_bytes_max = limits::wire_output_bytes_max},
      std::move(begun));
  Worker& worker = worker_;
  co_await serve_wire(worker, std::move(terms), std::move(wire));
  co_return false;
}

}  // namespace bartizan
