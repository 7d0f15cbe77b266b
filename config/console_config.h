#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// `[console]`: web pages for operators. Without the table there are none.
struct ConsoleConfig {
  HostPort address{.host = "127.0.0.1", .port = 9301};
  /// Holders of these roles may sign in and act. Never empty in a loaded configuration.
  std::vector<std::string> roles = {};
  /// Accepted values of `Host`, with or without the port. On a loopback bind `localhost`,
  /// `127.0.0.1` and `[::1]` are always accepted; elsewhere the list is required.
  std::vector<std::string> allowed_hosts = {};
  /// Accepted origins of a proxy in front, in addition to the console's own.
  std::vector<std::string> allowed_origins = {};
  std::optional<TlsConfig> tls = {};  ///< Required beyond loopback.
  Position where = {};
};

}  // namespace bartizan
