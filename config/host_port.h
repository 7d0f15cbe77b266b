#pragma once

#include <cstdint>
#include <string>

#include "config/secret_reference.h"

namespace bartizan {

/// `host:port`. A port of 0 lets the kernel choose; the chosen one is logged.
struct HostPort {
  std::string host = {};
  std::uint16_t port = 0;
};

/// `tls = { cert, key }` of a listener.
struct TlsConfig {
  std::string cert = {};     ///< PEM chain, path.
  SecretReference key = {};  ///< PEM key, `file:PATH`.
};

}  // namespace bartizan
