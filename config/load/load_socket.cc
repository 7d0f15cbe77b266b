#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"

namespace bartizan {
namespace {

using OpenTo = SocketConfig::OpenTo;

/// Size of `sun_path` of a Unix socket, without its NUL.
constexpr std::size_t kPathMax = 107;

constexpr std::array<std::pair<std::string_view, OpenTo>, 3> kOpenTo{
    {{"owner", OpenTo::owner}, {"group", OpenTo::group}, {"everyone", OpenTo::everyone}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kHandshakes{
    {{"required", false}, {"implied", true}}};

bool asks_for_certificates(const std::optional<TlsConfig>& tls) {
  return tls.has_value() && !tls->client_ca.empty();
}

void check_principal(TableReader& table, std::string_view key, const std::string& id,
                     const Config& config) {
  check_reference({.value = id, .where = table.where(key)}, "principal", config.principals,
                  table.problems());
}

void check_place(const SocketConfig& socket, TableReader& table, const Config& config) {
  const bool has_path = table.has("path");
  if (has_path == table.has("address")) {
    return table.problems().error(socket.where, "a socket needs either \"path\" or \"address\"",
                                  "path = \"/run/bartizan/mcp.sock\" is a Unix socket, address = "
                                  "\"127.0.0.1:7070\" is TCP");
  }
  if (socket.path.size() > kPathMax) {
    table.problems().error(table.where("path"),
                           fmt::format("\"path\" is longer than {} bytes", kPathMax));
  }
  for (const std::string_view key : {"tls"}) {
    if (!has_path || !table.has(key)) continue;
    table.problems().error(table.where(key), "\"tls\" is for \"address\"");
  }
  for (const std::string_view key : {"open_to", "users"}) {
    if (has_path || !table.has(key)) continue;
    table.problems().error(table.where(key), fmt::format("{} is for \"path\"", quote(key)));
  }
  if (has_path && config.admin.has_value() && config.admin->socket == socket.path) {
    table.problems().error(table.where("path"), "\"path\" is that of the admin socket");
  }
}

/// A TCP connection authenticates nobody: processes of any account reach loopback, and anybody
/// reaches other addresses. One principal for all peers is the operator's decision, and only on
/// loopback.
void check_proof(const SocketConfig& socket, TableReader& table, const AuthConfig& auth) {
  const bool is_named = !socket.principal.empty() || !socket.users.empty();
  const bool asks = asks_for_certificates(socket.tls);
  if (socket.address.has_value()) {
    const bool is_local = is_loopback(socket.address->host);
    if (!is_local && !asks) {
      table.problems().error(
          table.where("address"),
          "\"address\" is not a loopback address, and clients do not authenticate",
          "add tls with client_ca, and [auth.certificate.NAME]");
    }
    if (!is_local && !socket.principal.empty()) {
      table.problems().error(table.where("principal"),
                             "\"principal\" on an address that is not loopback would give every "
                             "client that principal");
    }
  }
  if (is_named || auth.mode == AuthConfig::Mode::none) return;
  if (asks && !auth.certificates.empty()) return;
  const bool is_path = !socket.path.empty();
  table.problems().error(socket.where, "no client can authenticate at this socket",
                         is_path ? "write users = { ACCOUNT = \"PRINCIPAL\" }, or principal"
                                 : "write principal = \"PRINCIPAL\", or tls with client_ca and "
                                   "[auth.certificate.NAME]");
}

void check_endpoint(const SocketConfig& socket, TableReader& table, const Config& config) {
  if (table.has("endpoint")) {
    return check_reference({.value = socket.endpoint, .where = table.where("endpoint")}, "endpoint",
                           config.endpoints, table.problems());
  }
  if (config.endpoints.empty()) return;
  table.problems().error(socket.where, "a socket beside [endpoint.NAME] tables needs \"endpoint\"",
                         "write whose clients these are: endpoint = \"NAME\"");
}

SocketConfig load_socket(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "socket", table.problems());
  SocketConfig socket{.name = name.value, .where = name.where};
  socket.path = table.path("path").value_or("");
  socket.address = load_address(table);
  socket.tls = load_tls(table);
  socket.open_to = table.choice<OpenTo>("open_to", kOpenTo).value_or(socket.open_to);
  socket.principal = table.text("principal").value_or("");
  if (!socket.principal.empty()) check_principal(table, "principal", socket.principal, config);
  for (auto& [user, principal] : table.text_map("users")) {
    check_principal(table, "users", principal, config);
    socket.users.emplace(user, principal);
  }
  socket.endpoint = table.text("endpoint").value_or("");
  socket.answers_only = table.boolean("answers_only").value_or(false);
  check_place(socket, table, config);
  check_proof(socket, table, config.auth);
  check_endpoint(socket, table, config);
  table.finish();
  return socket;
}

/// Named certificates must be requested by some listener.
void check_certificates(const Config& config, const SocketConfigs& sockets, Problems& problems) {
  const bool is_told =
      config.listen.proxies.certificate_header != ProxyConfig::CertificateHeader::none;
  const bool is_asked = is_told || asks_for_certificates(config.listen.tls) ||
                        std::ranges::any_of(sockets, [](const auto& entry) {
                          return asks_for_certificates(entry.second.tls);
                        });
  if (is_asked) return;
  for (const CertificateConfig& certificate : config.auth.certificates) {
    problems.error(certificate.where, "no client is asked for a certificate",
                   "write client_ca in [listen] tls");
  }
}

}  // namespace

bool load_implied_handshake(TableReader& table) {
  return table.choice<bool>("handshake", kHandshakes).value_or(false);
}

SocketConfigs load_sockets(TableReader& root, const Config& config) {
  SocketConfigs sockets;
  for (auto& [name, table] : root.named_tables("socket"))
    sockets.emplace(name.value, load_socket(name, table, config));
  check_certificates(config, sockets, root.problems());
  return sockets;
}

std::vector<SocketPeersConfig> socket_peers(const SocketConfigs& sockets) {
  std::vector<SocketPeersConfig> peers;
  for (const auto& [name, socket] : sockets) {
    if (socket.principal.empty() && socket.users.empty()) continue;
    peers.push_back({.name = name, .principal = socket.principal, .users = socket.users});
  }
  return peers;
}

}  // namespace bartizan
