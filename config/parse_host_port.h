#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Parses `host:port` or `[v6]:port`. The host is a name or an address; an IPv6 address is returned
/// without brackets.
std::optional<HostPort> parse_host_port(std::string_view text);

/// Whether only this machine can reach the host: `localhost`, 127.0.0.0/8 or `::1`. Any other
/// spelling counts as reachable from outside. Such a mistake only requires more of the operator.
bool is_loopback(std::string_view host);

/// Whether the text is a value of the `Host` header: a host with or without a port, without a
/// wildcard.
bool is_host(std::string_view text);

/// The kind of a server's URL.
enum class UrlKind : std::uint8_t { http, https, with_credentials, invalid };
UrlKind parse_url_kind(std::string_view text);

/// Converts the URL of a WebSocket or TCP server to the `http://` or `https://` URL with the same
/// parts. `ws://` and `tcp://` become `http://`; `wss://` and `tls://` become `https://`. Returns
/// any other text unchanged.
std::string as_http_url(std::string_view url);

/// The host of an `http://` or `https://` URL, without port and brackets.
/// Lifetime: views the URL.
std::string_view url_host(std::string_view url);

/// The path of such a URL, without a slash at its end. Empty for `https://host` and
/// `https://host/`.
/// Lifetime: views the URL.
std::string_view url_path(std::string_view url);

/// Whether responses from a URL can be trusted: it uses TLS, or leads to this machine. Otherwise
/// somebody on the network could forge them.
bool is_safe_url(std::string_view url);

/// Whether the text is a serialised origin: `http(s)://host[:port]` and nothing after it.
bool is_origin(std::string_view text);

}  // namespace bartizan
