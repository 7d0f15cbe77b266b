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

/// Fails where another process listens on that address, before anything is opened that a start that
/// fails would leave behind.
/// Errors: io_failed with the address and the cause.
Result<void> check_address_is_free(const HostPort& address);

/// A listening TCP socket. It is the only one of its address: SO_REUSEPORT is off, because with it
/// every process of the same account could listen beside the gateway, and get a part of its
/// connections. An `address.port` of 0 is replaced by the one that the kernel chose.
/// Errors: io_failed with the address and the cause, also where another process listens there.
Result<TcpAcceptor> listen_on(Loop& loop, HostPort& address);

/// A listening Unix socket with that mode: whoever may write to it may connect. A socket that an
/// earlier run left is replaced; anything else at that path, and a socket that answers, is left
/// alone.
/// Errors: io_failed with the path and the cause.
Result<UnixAcceptor> listen_locally(Loop& loop, const std::string& path, mode_t mode = 0600);

/// Accepts on `loop` until the acceptor is closed. Where a connection cannot be accepted, for want
/// of descriptors or of memory, it waits a moment and goes on.
///
/// `home` says which loop the next connection is to belong to; `accepted` gets both, on `loop`.
Task<void> accept_connections(Loop& loop, std::shared_ptr<TcpAcceptor> acceptor,
                              std::function<Loop&()> home,
                              std::function<void(Loop&, TcpSocket)> accepted);
/// Accepts on `loop` from a Unix socket until the acceptor is closed; `accepted` gets each
/// connection, which stays on `loop`. Where one cannot be accepted, for want of descriptors or of
/// memory, it waits a moment and goes on.
Task<void> accept_local(Loop& loop, std::shared_ptr<UnixAcceptor> acceptor,
                        std::function<void(UnixSocket)> accepted);

/// SHA-256 of all that makes a TLS context: the certificate, the key, what client certificates are
/// held against, and the settings. It shows that one of them was replaced. What cannot be read
/// counts as empty, which opening will say.
using TlsFiles = std::array<std::uint8_t, 32>;
TlsFiles digest_tls_files(const TlsConfig& config);

/// The TLS context of a listener: its certificate, the versions that it speaks, and which
/// certificates of clients it takes. Errors: config_invalid with the file and the cause.
Result<std::shared_ptr<asio::ssl::context>> make_server_tls(const TlsConfig& config);

/// How a listener encrypts, and what that was read from.
struct ListenerTls {
  std::shared_ptr<asio::ssl::context> context = {};  ///< Null without TLS.
  TlsFiles files{};
  std::int64_t not_after = 0;  ///< When its certificate expires, seconds since 1970 UTC.

  /// Whether both were read from the same bytes.
  bool operator==(const ListenerTls& other) const { return files == other.files; }
};
/// What a listener is to use by that configuration: `present` itself where its files hold the same.
/// Errors: config_invalid, as `make_server_tls`.
Result<ListenerTls> renew_tls(const std::optional<TlsConfig>& config, const ListenerTls& present);

/// How the sockets that have TLS encrypt, by their names.
using SocketTls = std::map<std::string, ListenerTls, std::less<>>;
/// What they are to use by that configuration, as `renew_tls` has it. Errors: likewise.
Result<SocketTls> renew_socket_tls(const SocketConfigs& sockets, const SocketTls& present);

}  // namespace bartizan
