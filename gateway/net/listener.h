#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "gateway/net/stream.h"
#include "gateway/runtime/loop.h"

namespace bartizan {

/// Fails if another process listens on that address. It runs before anything is opened that a
/// failed start would leave.
/// Errors: io_failed with the address and the cause.
Result<void> check_address_is_free(const HostPort& address);

/// Opens a listening TCP socket. It is the only one at its address. SO_REUSEPORT is off, as it
/// would let every process of the same account listen too, and get a part of the connections. An
/// `address.port` of 0 is replaced by the port that the kernel chose.
/// Errors: io_failed with the address and the cause, also if another process listens there.
Result<TcpAcceptor> listen_on(Loop& loop, HostPort& address);

/// Opens a listening Unix socket with that mode. Processes that may write to it may connect. A
/// leftover socket of an earlier run is replaced. A socket that answers, or anything else at that
/// path, stays.
/// Errors: io_failed with the path and the cause.
Result<UnixAcceptor> listen_locally(Loop& loop, const std::string& path, mode_t mode = 0600);

/// Accepts connections on `loop` until the acceptor is closed. If a connection cannot be accepted,
/// for lack of descriptors or memory, it pauses and continues.
///
/// `home` returns the loop of the next connection. `accepted` gets both, on `loop`.
Task<void> accept_connections(Loop& loop, std::shared_ptr<TcpAcceptor> acceptor,
                              std::function<Loop&()> home,
                              std::function<void(Loop&, TcpSocket)> accepted);
/// Accepts connections of a Unix socket on `loop` until the acceptor is closed. `accepted` gets
/// each connection, which stays on `loop`. If one cannot be accepted, for lack of descriptors or
/// memory, it pauses and continues.
Task<void> accept_local(Loop& loop, std::shared_ptr<UnixAcceptor> acceptor,
                        std::function<void(UnixSocket)> accepted);

/// SHA-256 of all inputs of a TLS context: the certificate, the key, the files that verify client
/// certificates, and the settings. It changes when one of them is replaced. Unreadable files count
/// as empty; opening them reports the error.
using TlsFiles = std::array<std::uint8_t, 32>;
TlsFiles digest_tls_files(const TlsConfig& config);

/// Makes the TLS context of a listener: its certificate, its TLS versions, and the client
/// certificates that it accepts.
/// Errors: config_invalid with the file and the cause.
Result<std::shared_ptr<asio::ssl::context>> make_server_tls(const TlsConfig& config);

/// The TLS context of a listener, and the digest of its sources.
struct ListenerTls {
  std::shared_ptr<asio::ssl::context> context = {};  ///< Null without TLS.
  TlsFiles files{};
  std::int64_t not_after = 0;  ///< Expiry of its certificate, in seconds since 1970 UTC.

  /// Whether both have the same sources.
  bool operator==(const ListenerTls& other) const { return files == other.files; }
};
/// Returns the TLS of a listener for that configuration: `present` itself if its files are
/// unchanged.
/// Errors: config_invalid, as for `make_server_tls`.
Result<ListenerTls> renew_tls(const std::optional<TlsConfig>& config, const ListenerTls& present);

/// The TLS of the sockets that have it, by socket name.
using SocketTls = std::map<std::string, ListenerTls, std::less<>>;
/// Returns the TLS of the sockets for that configuration, as `renew_tls` does.
/// Errors: those of `renew_tls`.
Result<SocketTls> renew_socket_tls(const SocketConfigs& sockets, const SocketTls& present);

}  // namespace bartizan
