#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/http/http_head.h"

namespace bartizan {

/// The subprotocol that MCP clients request. A client that requests none gets none.
inline constexpr std::string_view kMcpSubprotocol = "mcp";

/// Whether a request asks for a WebSocket: `Upgrade: websocket` in a GET.
bool asks_for_web_socket(const RequestHead& head);

/// Why a request for a WebSocket is refused, as a sentence; nothing if it is valid.
/// Source: RFC 6455 §4.2.1.
std::optional<std::string_view> find_upgrade_fault(const RequestHead& head);

/// The head of the response that begins a WebSocket. Input: a request without a fault.
/// Source: RFC 6455 §4.2.2.
std::string write_upgrade(const RequestHead& head);

}  // namespace bartizan
