#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"

namespace bartizan {

/// `host:port`, `[v6]:port`. The host is a name or an address; an IPv6 address is given without
/// its brackets.
std::optional<HostPort> parse_host_port(std::string_view text);

/// Whether only this machine can reach the host: `localhost`, 127.0.0.0/8 or `::1`. Any other
/// spelling of these counts as reachable from outside, which only asks the operator for more.
bool is_loopback(std::string_view host);

/// A value of the `Host` header: a host with or without a port, no wildcard.
bool is_host(std::string_view text);

/// What kind of URL of a server a text is.
enum class UrlKind : std::uint8_t { http, https, with_credentials, invalid };
UrlKind parse_url_kind(std::string_view text);

/// The URL of a WebSocket or of a TCP server, as the `http://` or `https://` URL with the same
/// parts: `ws://` and `tcp://` become the former, `wss://` and `tls://` the latter. Any other text
/// is itself.
std::string as_http_url(std::string_view url);

/// The host inside an `http://` or `https://` URL, without port and brackets.
std::string_view url_host(std::string_view url);

/// The path of such a URL, without a slash at its end: empty for `https://host` and
/// `https://host/`.
std::string_view url_path(std::string_view url);

/// Whether what a URL answers may be trusted: it is asked over TLS, or on this machine. Whoever is
/// on the way could answer otherwise.
bool is_safe_url(std::string_view url);

/// A serialised origin: `http(s)://host[:port]` and nothing after it.
bool is_origin(std::string_view text);

}  // namespace bartizan
