#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// `[socket.NAME]`: a listener for clients that send one message per line, over TCP or a Unix
/// socket.
struct SocketConfig {
  std::string name = {};
  std::string path = {};                 ///< Path of the Unix socket; empty for TCP.
  std::optional<HostPort> address = {};  ///< Of the TCP listener.
  std::optional<TlsConfig> tls = {};     ///< Of the TCP listener.
  /// Who may connect to the Unix socket: its file mode.
  enum class OpenTo : std::uint8_t { owner, group, everyone } open_to = OpenTo::owner;
  /// The principal of every peer. Empty: the connection alone authenticates nobody.
  std::string principal = {};
  /// Over a Unix socket: account name or number → principal.
  std::map<std::string, std::string, std::less<>> users = {};
  /// Name of the clients' endpoint; empty: the one of `[listen] path`.
  std::string endpoint = {};
  bool answers_only = false;  ///< As `[client] answers_only`.
  Position where = {};
};

using SocketConfigs = std::map<std::string, SocketConfig, std::less<>>;

}  // namespace bartizan
