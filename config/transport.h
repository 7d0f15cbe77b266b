#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {

/// The way a message reaches the gateway.
enum class Transport : std::uint8_t {
  http,         ///< Streamable HTTP.
  stdio,        ///< Lines of one client, which starts the gateway.
  sse,          ///< HTTP+SSE of 2024-11-05: an event stream, and a POST per message.
  web_socket,   ///< WebSocket messages, at the path of an endpoint.
  tcp,          ///< Lines over TCP: `[socket.NAME] address`.
  unix_socket,  ///< Lines over a Unix socket: `[socket.NAME] path`.
  gateway       ///< No transport: the gateway repeats a client's request.
};

/// The properties of a transport. A new transport is a new row of `kTransports`.
struct TransportKind {
  Transport transport;
  std::string_view name;  ///< In configuration, rules, records and metrics.
  bool has_clients;       ///< Clients use it, so rules may name it.
  bool has_headers;       ///< HTTP headers repeat parts of a modern message.
  bool has_address;       ///< Clients have a network address.
  /// Each legacy message names its session. Otherwise the connection is the session.
  bool names_session;
  /// The client starts the gateway for itself: its user is also the operator.
  bool is_own_process;
};

inline constexpr std::array<TransportKind, 7> kTransports{{{.transport = Transport::http,
                                                            .name = "http",
                                                            .has_clients = true,
                                                            .has_headers = true,
                                                            .has_address = true,
                                                            .names_session = true,
                                                            .is_own_process = false},
                                                           {.transport = Transport::stdio,
                                                            .name = "stdio",
                                                            .has_clients = true,
                                                            .has_headers = false,
                                                            .has_address = false,
                                                            .names_session = false,
                                                            .is_own_process = true},
                                                           {.transport = Transport::sse,
                                                            .name = "sse",
                                                            .has_clients = true,
                                                            .has_headers = false,
                                                            .has_address = true,
                                                            .names_session = false,
                                                            .is_own_process = false},
                                                           {.transport = Transport::web_socket,
                                                            .name = "websocket",
                                                            .has_clients = true,
                                                            .has_headers = false,
                                                            .has_address = true,
                                                            .names_session = false,
                                                            .is_own_process = false},
                                                           {.transport = Transport::tcp,
                                                            .name = "tcp",
                                                            .has_clients = true,
                                                            .has_headers = false,
                                                            .has_address = true,
                                                            .names_session = false,
                                                            .is_own_process = false},
                                                           {.transport = Transport::unix_socket,
                                                            .name = "unix",
                                                            .has_clients = true,
                                                            .has_headers = false,
                                                            .has_address = false,
                                                            .names_session = false,
                                                            .is_own_process = false},
                                                           {.transport = Transport::gateway,
                                                            .name = "gateway",
                                                            .has_clients = false,
                                                            .has_headers = false,
                                                            .has_address = false,
                                                            .names_session = true,
                                                            .is_own_process = false}}};

constexpr const TransportKind& kind_of(Transport transport) {
  return kTransports[static_cast<std::size_t>(transport)];
}
static_assert(kind_of(Transport::http).transport == Transport::http);
static_assert(kind_of(Transport::stdio).transport == Transport::stdio);
static_assert(kind_of(Transport::sse).transport == Transport::sse);
static_assert(kind_of(Transport::web_socket).transport == Transport::web_socket);
static_assert(kind_of(Transport::tcp).transport == Transport::tcp);
static_assert(kind_of(Transport::unix_socket).transport == Transport::unix_socket);
static_assert(kind_of(Transport::gateway).transport == Transport::gateway);

constexpr std::size_t count_client_transports() {
  std::size_t count = 0;
  for (const TransportKind& kind : kTransports)
    count += kind.has_clients ? 1 : 0;
  return count;
}

/// The names of those with clients, as rules and described calls spell them.
inline constexpr auto kTransportNames = [] {
  std::array<std::pair<std::string_view, Transport>, count_client_transports()> names{};
  std::size_t place = 0;
  for (const TransportKind& kind : kTransports) {
    if (kind.has_clients) names[place++] = {kind.name, kind.transport};
  }
  return names;
}();

}  // namespace bartizan
