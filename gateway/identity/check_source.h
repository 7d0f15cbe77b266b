#pragma once

#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Whether `host`, the value of the `Host` header, is a name of this gateway. On a loopback bind
/// the loopback names are always allowed, with any port.
/// Source: CWE-350; MCP 2026-07-28, streamable-http, "Security Warning" (DNS rebinding).
bool is_host_allowed(const ListenConfig& listen, std::string_view host);

/// Whether `host`, the value of the `Host` header, is a name of the listener for metrics and
/// health. A DNS rebinding attack from outside of the own network uses a name with a dot.
/// Addresses, names without a dot, and requests of HTTP/1.0 without a Host are therefore always
/// allowed.
bool is_status_host_allowed(const MetricsConfig& metrics, std::string_view host);

/// Whether pages of `origin`, the value of the `Origin` header, may call this gateway. It is
/// compared as a whole, in any letter case of ASCII. On a loopback bind the origins of the loopback
/// names are always allowed, with any port.
bool is_origin_allowed(const ListenConfig& listen, std::string_view origin);

/// Whether `host`, the value of the `Host` header, is a name of the console. On a loopback bind the
/// loopback names are always allowed, with any port, as through a tunnel. A request without a Host
/// is never allowed.
/// Source: CWE-350.
bool is_console_host_allowed(const ConsoleConfig& console, std::string_view host);

/// Whether a form came from a page of the console itself. `origin`, the value of the `Origin`
/// header, must be the scheme and host that the form was sent to, or one of `allowed_origins`,
/// under which a proxy shows the console. Another port, another scheme and `null` are other
/// origins.
/// Input:  `host`, the allowed value of the same request's `Host` header.
/// Source: RFC 6454 §4 and §5.
bool is_console_origin(const ConsoleConfig& console, std::string_view host, bool is_encrypted,
                       std::string_view origin);

}  // namespace bartizan
