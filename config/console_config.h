#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// `[console]`: pages for operators in a browser; absent, there are none.
struct ConsoleConfig {
  HostPort address{.host = "127.0.0.1", .port = 9301};
  /// Whose principals may sign in and act. Never empty in a configuration that was loaded.
  std::vector<std::string> roles = {};
  /// Values of `Host` that are served, with or without the port. On a loopback bind `localhost`,
  /// `127.0.0.1` and `[::1]` are always among them; elsewhere the list is required.
  std::vector<std::string> allowed_hosts = {};
  /// Origins beside the console's own under which a proxy shows it.
  std::vector<std::string> allowed_origins = {};
  std::optional<TlsConfig> tls = {};  ///< Required beyond loopback.
  Position where = {};
};

}  // namespace bartizan
