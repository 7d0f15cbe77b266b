#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// Which proxies in front of the gateway are trusted, and how they describe the peer.
struct ProxyConfig {
  /// `trusted_proxies`: networks, such as `10.0.0.0/8`. `X-Forwarded-For` counts on connections
  /// from them. It is read from the right, up to the first address that is not a proxy's.
  std::vector<std::string> networks = {};
  /// `proxy_protocol = "v2"`: each connection comes from a proxy and starts with this header.
  bool has_protocol_header = false;
  /// `certificate_header`: the header in which a proxy passes its peer's certificate.
  enum class CertificateHeader : std::uint8_t {
    none,
    client_cert,  ///< `Client-Cert`, DER in Base64 between colons (RFC 9440).
    escaped_pem   ///< `X-SSL-Client-Cert`, PEM with percent signs: `$ssl_client_escaped_cert`.
  } certificate_header = CertificateHeader::none;
  /// `certificate_proxies`: alternative names, as in `CertificateConfig`. The header counts only
  /// from a proxy whose own certificate proved one of them.
  std::vector<std::string> certificates = {};
};

/// `[listen]`: the HTTP listener for clients.
struct ListenConfig {
  HostPort address{.host = "127.0.0.1", .port = 8080};
  /// The MCP endpoint's path if there is no `[endpoint.NAME]`; absolute.
  std::string path = "/mcp";
  bool has_path = false;  ///< Whether the file sets `path`.
  /// Accepted values of `Host`, with or without the port. On a loopback bind `localhost`,
  /// `127.0.0.1` and `[::1]` are always accepted; elsewhere the list is required.
  std::vector<std::string> allowed_hosts = {};
  /// Accepted values of `Origin`. A request without the header is not from a browser, and passes.
  /// On a loopback bind the loopback origins are accepted too.
  std::vector<std::string> allowed_origins = {};
  std::optional<TlsConfig> tls = {};
  /// `plaintext = "trusted-network"`: the operator accepts a non-loopback bind without TLS.
  bool plaintext_on_trusted_network = false;
  ProxyConfig proxies = {};
  bool sse = false;         ///< Endpoint paths also serve clients of 2024-11-05.
  bool web_socket = false;  ///< Endpoint paths also accept WebSocket connections.
  Position where = {};
};

}  // namespace bartizan
