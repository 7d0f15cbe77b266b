#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/front_door_config.h"
#include "config/issuer_config.h"
#include "config/position.h"

namespace bartizan {

/// `[auth.api_key.NAME]`: proves which principal calls, and nothing else.
struct ApiKeyConfig {
  std::string name = {};
  std::string principal = {};
  std::string sha256 = {};  ///< Lower-case hex of the key's SHA-256.
  /// Seconds since 1970 UTC at which the key stops to work: midnight UTC that begins the day.
  std::optional<std::int64_t> expires = {};
  Position where = {};
};

/// `[auth.certificate.NAME]`: certificates that prove which principal calls.
struct CertificateConfig {
  std::string name = {};
  std::string principal = {};
  /// Alternative names of which the certificate has one, each with its type: `dns:ci.example.com`,
  /// `uri:spiffe://example.org/ci`, `email:ci@example.com`. Never empty.
  std::vector<std::string> names = {};
  Position where = {};
};

/// Who connects to a `[socket.NAME]`, as far as that alone proves it.
struct SocketPeersConfig {
  std::string name = {};       ///< Of the socket.
  std::string principal = {};  ///< That everyone is; empty for nobody.
  /// Principals by the name or number of their account, over a Unix socket.
  std::map<std::string, std::string, std::less<>> users = {};
};

/// `[auth]`: who may speak at all.
struct AuthConfig {
  enum class Mode : std::uint8_t { required, none } mode = Mode::required;
  /// With `mode = "none"` (loopback only): the principal that everyone is.
  std::string principal = {};
  std::vector<ApiKeyConfig> api_keys = {};
  std::vector<IssuerConfig> issuers = {};
  std::vector<FrontDoorConfig> front_doors = {};
  std::vector<CertificateConfig> certificates = {};
  /// `[auth.stdio] principal`: who speaks over standard input; empty when nobody may.
  std::string stdio_principal = {};
  std::vector<SocketPeersConfig> sockets = {};  ///< Of those that prove anybody.
  Position where = {};
};

}  // namespace bartizan
