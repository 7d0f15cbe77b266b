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

/// `[auth.api_key.NAME]`: authenticates one principal. It grants nothing else.
struct ApiKeyConfig {
  std::string name = {};
  std::string principal = {};
  std::string sha256 = {};  ///< Lower-case hex of the key's SHA-256.
  /// The key's expiry, in seconds since 1970 UTC: midnight UTC at the start of that day.
  std::optional<std::int64_t> expires = {};
  Position where = {};
};

/// `[auth.certificate.NAME]`: client certificates that authenticate one principal.
struct CertificateConfig {
  std::string name = {};
  std::string principal = {};
  /// Alternative names with their types, such as `dns:ci.example.com`,
  /// `uri:spiffe://example.org/ci` or `email:ci@example.com`. The certificate must have one of
  /// them. Never empty.
  std::vector<std::string> names = {};
  Position where = {};
};

/// The principals that a connection to a `[socket.NAME]` alone authenticates.
struct SocketPeersConfig {
  std::string name = {};       ///< The socket's name.
  std::string principal = {};  ///< The principal of every peer; empty: none.
  /// Over a Unix socket: account name or number → principal.
  std::map<std::string, std::string, std::less<>> users = {};
};

/// `[auth]`: who may connect at all.
struct AuthConfig {
  enum class Mode : std::uint8_t { required, none } mode = Mode::required;
  /// With `mode = "none"` (loopback only): the principal of every caller.
  std::string principal = {};
  std::vector<ApiKeyConfig> api_keys = {};
  std::vector<IssuerConfig> issuers = {};
  std::vector<FrontDoorConfig> front_doors = {};
  std::vector<CertificateConfig> certificates = {};
  /// `[auth.stdio] principal`: the principal over standard input; empty: nobody may call.
  std::string stdio_principal = {};
  std::vector<SocketPeersConfig> sockets = {};  ///< Those sockets that authenticate anybody.
  Position where = {};
};

}  // namespace bartizan
