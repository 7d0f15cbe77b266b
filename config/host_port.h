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
  bool is_1_3_only = false;  ///< `min_version = "1.3"`; 1.2 and up otherwise.
  /// PEM certificates of the authorities whose certificates clients may show; empty: clients are
  /// asked for none. Whether one has to be shown is its endpoint's to say.
  std::string client_ca = {};
  std::string client_crl = {};  ///< PEM revocation lists of these authorities; empty: none.
};

}  // namespace bartizan
