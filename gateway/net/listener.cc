#include "gateway/net/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/sha.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include "config/load/load_config.h"
#include "gateway/net/client_authorities.h"
#include "gateway/runtime/log.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

constexpr int kBacklog = 1024;
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr int kUnacknowledgedMs = std::chrono::milliseconds(limits::write_deadline).count();
/// Detects a peer that vanished silently by its missing acknowledgements. The kernel alone would
/// wait for a quarter of an hour, and an event stream would stay open as long.
using UserTimeout = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;

std::unexpected<Error> refuse(const HostPort& address, std::string_view what,
                              const error_code& error) {
  return fail(ErrorCode::io_failed, Fault::gateway,
              "cannot " + std::string(what) + " " + address.host + ":" +
                  std::to_string(address.port) + ": " + error.message());
}

Result<asio::ip::tcp::endpoint> resolve(const HostPort& address) {
  error_code error;
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  const auto parsed = asio::ip::make_address(host, error);
  if (error) return refuse(address, "use the address", error);
  return asio::ip::tcp::endpoint(parsed, address.port);
}

Result<TcpAcceptor> listen(const Executor& executor, const HostPort& address) {
  const auto endpoint = resolve(address);
  if (!endpoint.has_value()) return std::unexpected(endpoint.error());
  TcpAcceptor acceptor(executor);
  error_code error;
  acceptor.open(endpoint->protocol(), error);
  // Allows the address again directly after a restart, but not a second listener.
  if (!error) acceptor.set_option(TcpAcceptor::reuse_address(true), error);
  if (!error) acceptor.bind(*endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (error) return refuse(address, "listen on", error);
  return acceptor;
}

/// Pauses after an error, and returns whether to continue accepting.
template <class Acceptor>
Task<bool> goes_on(Loop& loop, const Acceptor& acceptor, error_code error) {
  if (error == asio::error::operation_aborted || !acceptor.is_open()) co_return false;
  if (error != asio::error::connection_aborted) {
    log(LogLevel::error, "accept failed", {{"detail", error.message()}});
  }
  SteadyTimer pause(loop.executor());
  pause.expires_after(kAcceptPause);
  co_await pause.async_wait(kAwait);
  co_return acceptor.is_open();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Adds a part with its length, so that different lists of parts make different texts. The text
/// contains a key, so the old bytes are wiped when it grows.
void add_part(std::string& all, std::string_view part) {
  std::string longer;
  longer.reserve(all.size() + part.size() + 24);
  longer.append(all).append(std::to_string(part.size())).append(":").append(part);
  wipe(all.data(), all.size());
  all = std::move(longer);
}

}  // namespace

Result<void> check_address_is_free(const HostPort& address) {
  if (address.port == 0) return {};
  asio::io_context io;
  const Result<TcpAcceptor> acceptor = listen(io.get_executor(), address);
  if (!acceptor.has_value()) return std::unexpected(acceptor.error());
  return {};
}

Result<TcpAcceptor> listen_on(Loop& loop, HostPort& address) {
  Result<TcpAcceptor> acceptor = listen(loop.executor(), address);
  error_code error;
  if (acceptor.has_value()) address.port = acceptor->local_endpoint(error).port();
  return acceptor;
}

Result<UnixAcceptor> listen_locally(Loop& loop, const std::string& path, mode_t mode) {
  const asio::local::stream_protocol::endpoint endpoint(path);
  error_code error;
  struct stat found{};
  if (lstat(path.c_str(), &found) == 0) {
    UnixSocket probe(loop.executor());
    const bool is_socket = S_ISSOCK(found.st_mode);
    if (is_socket) probe.connect(endpoint, error);
    if (!is_socket || !error) {
      return fail(ErrorCode::io_failed, Fault::gateway,
                  "cannot listen on \"" + path +
                      "\": " + (is_socket ? "another process does" : "it is not a socket"));
    }
    unlink(path.c_str());
  }
  UnixAcceptor acceptor(loop.executor());
  error.clear();
  acceptor.open(endpoint.protocol(), error);
  const mode_t before = umask(0777 & ~mode);
  if (!error) acceptor.bind(endpoint, error);
  umask(before);
  if (!error) acceptor.listen(16, error);
  if (error) {
    return fail(ErrorCode::io_failed, Fault::gateway,
                "cannot listen on \"" + path + "\": " + error.message());
  }
  return acceptor;
}

Task<void> accept_connections(Loop& loop, std::shared_ptr<TcpAcceptor> acceptor,
                              std::function<Loop&()> home,
                              std::function<void(Loop&, TcpSocket)> accepted) {
  Loop* next = &home();
  while (acceptor->is_open()) {
    TcpSocket socket(next->executor());
    const auto [error] = co_await acceptor->async_accept(socket, kAwait);
    if (error) {
      if (!co_await goes_on(loop, *acceptor, error)) co_return;
      continue;
    }
    error_code ignored;
    socket.set_option(UserTimeout(kUnacknowledgedMs), ignored);
    accepted(*next, std::move(socket));
    next = &home();
  }
}

Task<void> accept_local(Loop& loop, std::shared_ptr<UnixAcceptor> acceptor,
                        std::function<void(UnixSocket)> accepted) {
  while (acceptor->is_open()) {
    UnixSocket socket(loop.executor());
    const auto [error] = co_await acceptor->async_accept(socket, kAwait);
    if (!error) {
      accepted(std::move(socket));
    } else if (!co_await goes_on(loop, *acceptor, error)) {
      co_return;
    }
  }
}

TlsFiles digest_tls_files(const TlsConfig& config) {
  std::string all;
  add_part(all, read_file(config.cert));
  add_part(all, read_secret(config.key).value_or(SecretText()).view());
  add_part(all, config.is_1_3_only ? "1.3" : "1.2");
  add_part(all, config.client_ca);
  add_part(all, read_file(config.client_ca));
  add_part(all, config.client_crl);
  add_part(all, read_file(config.client_crl));
  TlsFiles digest{};
  SHA256(reinterpret_cast<const unsigned char*>(all.data()), all.size(), digest.data());
  wipe(all.data(), all.size());
  return digest;
}

Result<std::shared_ptr<asio::ssl::context>> make_server_tls(const TlsConfig& config) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(),
                                config.is_1_3_only ? TLS1_3_VERSION : TLS1_2_VERSION);
  // A handshake costs the server far more than the client: one for each connection.
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  error_code error;
  context->use_certificate_chain_file(config.cert, error);
  if (error) {
    return fail(ErrorCode::config_invalid, Fault::client,
                "the certificate \"" + config.cert + "\" cannot be used: " + error.message());
  }
  const Result<SecretText> key = read_secret(config.key);
  if (!key.has_value()) return std::unexpected(key.error());
  context->use_private_key(asio::buffer(key->view()), asio::ssl::context::pem, error);
  if (error) {
    return fail(ErrorCode::config_invalid, Fault::client,
                "the key of \"" + config.cert + "\" cannot be used: " + error.message());
  }
  if (!config.client_ca.empty()) {
    const Result<void> asked = accept_client_certificates(context->native_handle(), config);
    if (!asked.has_value()) return std::unexpected(asked.error());
  }
  return context;
}

namespace {

/// Expiry of the listener's own certificate, in seconds since 1970 UTC; 0 if unknown.
std::int64_t expiry_of(SSL_CTX* context) {
  const X509* certificate = SSL_CTX_get0_certificate(context);
  std::tm time{};
  const bool is_known =
      certificate != nullptr && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1;
  return is_known ? static_cast<std::int64_t>(::timegm(&time)) : 0;
}

}  // namespace

Result<ListenerTls> renew_tls(const std::optional<TlsConfig>& config, const ListenerTls& present) {
  if (!config.has_value()) return ListenerTls();
  const TlsFiles files = digest_tls_files(*config);
  if (present.context != nullptr && present.files == files) return present;
  Result<std::shared_ptr<asio::ssl::context>> context = make_server_tls(*config);
  if (!context.has_value()) return std::unexpected(context.error());
  const std::int64_t not_after = expiry_of((*context)->native_handle());
  return ListenerTls{.context = std::move(*context), .files = files, .not_after = not_after};
}

Result<SocketTls> renew_socket_tls(const SocketConfigs& sockets, const SocketTls& present) {
  SocketTls renewed;
  for (const auto& [name, socket] : sockets) {
    if (!socket.tls.has_value()) continue;
    const auto found = present.find(name);
    auto tls = renew_tls(socket.tls, found == present.end() ? ListenerTls() : found->second);
    if (!tls.has_value()) return std::unexpected(tls.error());
    renewed.emplace(name, *std::move(tls));
  }
  return renewed;
}

}  // namespace bartizan
