#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// `[socket.NAME]`: a listener for clients that send a message a line, over TCP or a Unix socket.
struct SocketConfig {
  std::string name = {};
  std::string path = {};                 ///< Of the Unix socket; empty for TCP.
  std::optional<HostPort> address = {};  ///< Of the TCP listener.
  std::optional<TlsConfig> tls = {};     ///< Of the TCP listener.
  /// Who may connect to the Unix socket, as the file's mode says it.
  enum class OpenTo : std::uint8_t { owner, group, everyone } open_to = OpenTo::owner;
  /// The principal that everyone is who connects; empty where nobody is by that alone.
  std::string principal = {};
  /// The principals that accounts are, by the account's name or its number, over a Unix socket.
  std::map<std::string, std::string, std::less<>> users = {};
  /// Name of the endpoint whose clients these are; empty for that of `[listen] path`.
  std::string endpoint = {};
  bool answers_only = false;  ///< As `[client] answers_only`.
  Position where = {};
};

using SocketConfigs = std::map<std::string, SocketConfig, std::less<>>;

}  // namespace bartizan
