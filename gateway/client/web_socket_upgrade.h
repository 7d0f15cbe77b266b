#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/http/http_head.h"

namespace bartizan {

/// The subprotocol that clients of MCP ask for. A client that asks for none gets none.
inline constexpr std::string_view kMcpSubprotocol = "mcp";

/// Whether a request asks for a WebSocket: `Upgrade: websocket` in a GET.
bool asks_for_web_socket(const RequestHead& head);

/// Why a request that asks for a WebSocket does not get one, as a sentence; nothing where it does.
/// Source: RFC 6455 §4.2.1.
std::optional<std::string_view> find_upgrade_fault(const RequestHead& head);

/// The head of the answer that begins a WebSocket. Input: a request without a fault.
/// Source: RFC 6455 §4.2.2.
std::string write_upgrade(const RequestHead& head);

}  // namespace bartizan
