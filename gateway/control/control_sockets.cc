// Listeners for clients that send a message a line: `[socket.NAME]`.
#include <utility>

#include "gateway/client/connection.h"
#include "gateway/client/wire_client.h"
#include "gateway/control/control.h"
#include "gateway/framing/stream_wire.h"
#include "gateway/identity/certificate_names.h"
#include "gateway/net/listener.h"
#include "gateway/net/peer_address.h"
#include "gateway/process/descriptor.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

mode_t mode_of(SocketConfig::OpenTo open_to) {
  switch (open_to) {
    case SocketConfig::OpenTo::owner:
      break;
    case SocketConfig::OpenTo::group:
      return 0660;
    case SocketConfig::OpenTo::everyone:
      return 0666;
  }
  return 0600;
}

/// A stream of an accepted connection, or null where the kernel has no room for it.
std::unique_ptr<Stream> adopt(Loop& loop, Descriptor descriptor, const SocketConfig& config) {
  error_code failed;
  std::unique_ptr<Stream> stream;
  if (config.address.has_value()) {
    TcpSocket accepted(loop.executor());
    const bool is_v6 = config.address->host.contains(':');
    accepted.assign(is_v6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor.get(), failed);
    if (!failed) stream = std::make_unique<Stream>(std::move(accepted), loop);
  } else {
    UnixSocket accepted(loop.executor());
    accepted.assign(asio::local::stream_protocol(), descriptor.get(), failed);
    if (!failed) stream = std::make_unique<Stream>(std::move(accepted), loop);
  }
  if (!failed) descriptor.release();
  return stream;
}

/// When the certificate of a client ends.
std::int64_t expiry_of(const std::vector<std::string>& certificates) {
  if (certificates.empty()) return kNeverExpires;
  return read_certificate(certificates.front()).value_or(CertificateFacts()).expires;
}

}  // namespace

Result<void> Control::open_sockets() {
  if (clients_ == Clients::over_stdio) return {};
  for (const auto& [name, socket] : config_.sockets) {
    const Result<void> opened = open_socket(socket);
    if (!opened.has_value()) return opened;
  }
  return {};
}

/// The first worker accepts for all, each connection for the next of them.
Result<void> Control::open_socket(const SocketConfig& socket) {
  Loop& first = gateway_->workers.front()->loop;
  auto hand_over = [this, name = socket.name, count = std::size_t{0}](auto accepted,
                                                                      std::string counted) mutable {
    Worker& worker = *gateway_->workers[count++ % gateway_->workers.size()];
    error_code ignored;
    accept_on(name, worker, Descriptor(accepted.release(ignored)), std::move(counted));
  };
  if (!socket.address.has_value()) {
    Result<UnixAcceptor> opened = listen_locally(first, socket.path, mode_of(socket.open_to));
    if (!opened.has_value()) return std::unexpected(opened.error());
    unix_acceptors_.push_back(std::make_shared<UnixAcceptor>(*std::move(opened)));
    spawn(first,
          accept_local(first, unix_acceptors_.back(), [hand_over](UnixSocket accepted) mutable {
            std::string counted = unix_peer(accepted.native_handle());
            hand_over(std::move(accepted), std::move(counted));
          }));
    log(LogLevel::info, "listening", {{"socket", socket.name}, {"path", socket.path}});
    return {};
  }
  HostPort address = *socket.address;
  Result<TcpAcceptor> opened = listen_on(first, address);
  if (!opened.has_value()) return std::unexpected(opened.error());
  tcp_acceptors_.push_back(std::make_shared<TcpAcceptor>(*std::move(opened)));
  spawn(first, accept_connections(
                   first, tcp_acceptors_.back(), [&first]() -> Loop& { return first; },
                   [hand_over](Loop& /*home*/, TcpSocket accepted) mutable {
                     std::string counted = peer_address_of(accepted);
                     hand_over(std::move(accepted), std::move(counted));
                   }));
  log(LogLevel::info, "listening",
      {{"socket", socket.name}, {"address", address.host + ":" + std::to_string(address.port)}});
  return {};
}

/// Gives a connection to the worker that serves it. Counted here, on the loop that accepts: a
/// worker that is busy does not gather connections that nobody counts.
void Control::accept_on(const std::string& socket, Worker& worker, Descriptor descriptor,
                        std::string counted) {
  if (!gateway_->connections.take(counted)) {
    Worker& first = *gateway_->workers.front();
    note_refusal(first, {.source = counted, .network = counted},
                 {.status = 0, .reason = Reason::overloaded, .detail = "too many connections"});
    return;
  }
  worker.loop.post_answer([this, socket, &worker, descriptor = std::move(descriptor),
                           counted = std::move(counted)]() mutable {
    const auto found = worker.snapshot->config.sockets.find(socket);
    std::unique_ptr<Stream> stream;
    if (found != worker.snapshot->config.sockets.end()) {
      stream = adopt(worker.loop, std::move(descriptor), found->second);
    }
    if (stream == nullptr) return gateway_->connections.give_back(counted);
    spawn(worker.loop, serve_socket(worker, std::move(stream), socket, std::move(counted)));
  });
}

Task<void> Control::serve_socket(Worker& worker, std::unique_ptr<Stream> stream, std::string socket,
                                 std::string counted) {
  const SnapshotPtr snapshot = worker.snapshot;
  const SocketConfig& config = snapshot->config.sockets.find(socket)->second;
  const auto tls = snapshot->socket_tls.find(socket);
  Result<void> secured;
  if (tls != snapshot->socket_tls.end()) {
    secured =
        co_await stream->accept_tls(*tls->second, snapshot->config.session.authentication_timeout);
  }
  if (!secured.has_value() && secured.error().code == ErrorCode::credentials_bad) {
    note_refusal(
        worker, {.source = stream->peer(), .network = counted},
        {.status = 0, .reason = Reason::credentials_invalid, .detail = secured.error().detail});
  }
  if (secured.has_value()) {
    WireTerms terms{.transport = config.path.empty() ? Transport::tcp : Transport::unix_socket,
                    .source = stream->peer(),
                    .network = counted,
                    .socket = socket,
                    .endpoint = config.endpoint,
                    .certificates = stream->certificates(),
                    .answers_only = config.answers_only,
                    .implies_handshake = implies_handshake(snapshot->config, config.endpoint),
                    .is_open_to_strangers = true};
    auto wire = std::make_shared<StreamWire>(
        worker.loop, memory_, worker.random, std::move(stream),
        StreamWireTerms{.framing = Framing::lines,
                        .message_bytes_max = limits::request_bytes_max,
                        .queue_bytes_max = limits::wire_output_bytes_max,
                        .first_message_max = snapshot->config.session.authentication_timeout});
    terms.is_let_in = [weak = std::weak_ptr(wire), socket, endpoint = config.endpoint,
                       expires = expiry_of(terms.certificates)](const SnapshotPtr& present) {
      const auto alive = weak.lock();
      const auto found = present->config.sockets.find(socket);
      const auto context = present->socket_tls.find(socket);
      const bool is_here = alive != nullptr && found != present->config.sockets.end() &&
                           found->second.endpoint == endpoint && expires > seconds_now();
      return is_here && (expires == kNeverExpires ||
                         (context != present->socket_tls.end() &&
                          alive->stream().verify_certificate_by(*context->second).has_value()));
    };
    co_await serve_wire(worker, std::move(terms), std::move(wire));
  }
  gateway_->connections.give_back(counted);
}

}  // namespace bartizan
