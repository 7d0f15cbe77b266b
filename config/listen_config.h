#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/host_port.h"
#include "config/position.h"

namespace bartizan {

/// What proxies in front of the gateway say of the peer, and which of them are believed.
struct ProxyConfig {
  /// `trusted_proxies`: networks, such as `10.0.0.0/8`. Of a connection from one of them
  /// `X-Forwarded-For` counts, read from its right end up to the first address that is no proxy's.
  std::vector<std::string> networks = {};
  /// `proxy_protocol = "v2"`: each connection begins with such a header, and comes from a proxy.
  bool has_protocol_header = false;
  /// `certificate_header`: how a proxy tells the certificate of its peer.
  enum class CertificateHeader : std::uint8_t {
    none,
    client_cert,  ///< `Client-Cert`, DER in Base64 between colons (RFC 9440).
    escaped_pem   ///< `X-SSL-Client-Cert`, PEM with percent signs: `$ssl_client_escaped_cert`.
  } certificate_header = CertificateHeader::none;
  /// `certificate_proxies`: alternative names, as in `CertificateConfig`. Only a proxy that proved
  /// one of them by its own certificate is believed in that header.
  std::vector<std::string> certificates = {};
};

/// `[listen]`: where clients come in.
struct ListenConfig {
  HostPort address{.host = "127.0.0.1", .port = 8080};
  std::string path = "/mcp";  ///< The MCP endpoint without any `[endpoint.NAME]`; absolute.
  bool has_path = false;      ///< It was written.
  /// Values of `Host` that are served, with or without the port. On a loopback bind `localhost`,
  /// `127.0.0.1` and `[::1]` are always among them; elsewhere the list is required.
  std::vector<std::string> allowed_hosts = {};
  /// Values of `Origin` that are served; a request without one is no browser's and passes. On a
  /// loopback bind the loopback origins are among them.
  std::vector<std::string> allowed_origins = {};
  std::optional<TlsConfig> tls = {};
  /// `plaintext = "trusted-network"`: the operator names that a non-loopback bind has no TLS.
  bool plaintext_on_trusted_network = false;
  ProxyConfig proxies = {};
  bool sse = false;         ///< The paths of endpoints take clients of 2024-11-05, too.
  bool web_socket = false;  ///< The paths of endpoints take WebSocket connections, too.
  Position where = {};
};

}  // namespace bartizan
