#pragma once

#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Whether `host`, as the `Host` header has it, is a name under which this gateway is reached. On
/// a loopback bind the loopback names are always among them, with any port.
/// Source: CWE-350; MCP 2026-07-28, streamable-http, "Security Warning" (DNS rebinding).
bool is_host_allowed(const ListenConfig& listen, std::string_view host);

/// Whether `host`, as the `Host` header has it, is a name under which the listener for metrics and
/// health is reached. Whoever lets a name lead here (DNS rebinding) has one with a dot, unless he
/// is in the own network; addresses, names without a dot, and requests of HTTP/1.0 without a Host
/// are always allowed.
bool is_status_host_allowed(const MetricsConfig& metrics, std::string_view host);

/// Whether pages of `origin`, as the `Origin` header has it, may call this gateway. It is compared
/// as a whole, but for the letter case of ASCII. On a loopback bind the origins of the loopback
/// names are always allowed, with any port.
bool is_origin_allowed(const ListenConfig& listen, std::string_view origin);

/// Whether `host`, as the `Host` header has it, is a name under which the console is reached. On a
/// loopback bind the loopback names are always among them, with any port, as it is behind a tunnel.
/// A request without a Host is never allowed.
/// Source: CWE-350.
bool is_console_host_allowed(const ConsoleConfig& console, std::string_view host);

/// Whether a form came from a page of the console itself: `origin`, as the `Origin` header has it,
/// is the scheme and host that the form was sent to, or one of `allowed_origins`, under which a
/// proxy shows the console. Another port, another scheme and `null` are other origins.
/// Input:  `host` as the `Host` header of the same request has it, and allowed.
/// Source: RFC 6454 §4 and §5.
bool is_console_origin(const ConsoleConfig& console, std::string_view host, bool is_encrypted,
                       std::string_view origin);

}  // namespace bartizan
