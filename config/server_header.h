#pragma once

#include <string>
#include <string_view>

#include "config/secret_reference.h"

namespace bartizan {

/// One entry of `headers`: what is sent to a server's URL with every message.
struct ServerHeader {
  std::string name = {};        ///< A token, as it is written.
  std::string value = {};       ///< Empty where it is a secret.
  SecretReference secret = {};  ///< `Kind::none` where the value is written as it is.
};

/// Why the gateway does not send a server a header of that name, to stand behind the name in a
/// sentence; empty where it does. Refused are names that are no token, and those that the gateway
/// writes itself or that belong to one connection: framing, content, `Host`, `Mcp-*`, hop-by-hop.
/// `_` counts as `-`, which some servers take it for.
/// Source: RFC 9110 §5.6.2, §7.6.1; RFC 9112 §6; MCP 2026-07-28, streamable-http.
std::string_view find_header_fault(std::string_view name);

/// Whether servers may take two names for one: letter case aside, and `_` for `-`.
bool is_same_header(std::string_view one, std::string_view other);

/// Whether a header may have that value: no control character but tabs, and no blank at an end,
/// where a reader would take it away. Source: RFC 9110 §5.5.
bool is_header_value(std::string_view value);

}  // namespace bartizan
