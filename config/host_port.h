#pragma once

#include <cstdint>
#include <string>

#include "config/secret_reference.h"

namespace bartizan {

/// `host:port`. With port 0 the kernel chooses; the chosen port is logged.
struct HostPort {
  std::string host = {};
  std::uint16_t port = 0;
};

/// `tls = { cert, key }` of a listener.
struct TlsConfig {
  std::string cert = {};     ///< PEM chain, path.
  SecretReference key = {};  ///< PEM key, `file:PATH`.
  bool is_1_3_only = false;  ///< `min_version = "1.3"`; otherwise at least 1.2.
  /// PEM certificates of the authorities for client certificates. Empty: no client certificate is
  /// requested. The endpoint decides whether one is required.
  std::string client_ca = {};
  std::string client_crl = {};  ///< PEM revocation lists of these authorities; empty: none.
};

}  // namespace bartizan
