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

}  // namespace bartizan
