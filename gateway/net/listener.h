#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/config.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/loop.h"

namespace bartizan {

/// Fails when another process listens on that address: with SO_REUSEPORT, which the workers share
/// a port by, binding alone would not tell.
/// Errors: io_failed with the address and the cause.
Result<void> check_address_is_free(const Endpoint& address);

/// A listening TCP socket of one worker; all workers of an address share it with SO_REUSEPORT. An
/// `address.port` of 0 is replaced by the one that the kernel chose.
/// Errors: io_failed with the address and the cause.
Result<TcpAcceptor> listen_on(Loop& loop, Endpoint& address);

/// A listening Unix socket that only its owner can connect to (mode 0600). A socket that an earlier
/// run left is replaced; anything else at that path, and a socket that answers, is left alone.
/// Errors: io_failed with the path and the cause.
Result<UnixAcceptor> listen_locally(Loop& loop, const std::string& path);

/// Accepts until the acceptor is closed, and gives each connection away. Out of descriptors, it
/// waits a moment instead of spinning.
Task<void> accept_connections(Loop& loop, std::shared_ptr<TcpAcceptor> acceptor,
                              std::function<void(TcpSocket)> accepted);

/// SHA-256 of the certificate and the key, to see that one of them was replaced; zeros for what
/// cannot be read, which opening will say.
using TlsFiles = std::array<std::uint8_t, 32>;
TlsFiles digest_tls_files(const TlsConfig& config);

/// The TLS context of the listener: TLS 1.2 and up. Errors: config_invalid.
Result<std::shared_ptr<asio::ssl::context>> make_server_tls(const TlsConfig& config);

}  // namespace bartizan
