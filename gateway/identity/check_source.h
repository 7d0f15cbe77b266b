#pragma once

#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Whether `host`, as the `Host` header has it, is a name under which this gateway is reached. On
/// a loopback bind the loopback names are always among them, with any port.
/// Source: CWE-350; MCP 2026-07-28, streamable-http, "Security Warning" (DNS rebinding).
bool is_host_allowed(const ListenConfig& listen, std::string_view host);

/// The same for `Origin`, compared as a whole, but for the letter case of ASCII.
bool is_origin_allowed(const ListenConfig& listen, std::string_view origin);

}  // namespace bartizan
