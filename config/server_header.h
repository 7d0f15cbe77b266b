#pragma once

#include <string>
#include <string_view>

#include "config/secret_reference.h"

namespace bartizan {

/// One entry of `headers`: a header of every message to a server's URL.
struct ServerHeader {
  std::string name = {};        ///< A token, as written.
  std::string value = {};       ///< Empty if it is a secret.
  SecretReference secret = {};  ///< `Kind::none` if `value` has the value.
};

/// Why the gateway refuses to send a header of this name to a server; empty if it sends it. The
/// text follows the name in a sentence. Refused are invalid tokens and headers of the gateway
/// itself or of one connection: framing, content, `Host`, `Mcp-*`, hop-by-hop. `_` counts as `-`,
/// because some servers confuse them.
/// Source: RFC 9110 §5.6.2, §7.6.1; RFC 9112 §6; MCP 2026-07-28, streamable-http.
std::string_view find_header_fault(std::string_view name);

/// Whether servers may take two names for the same: they differ only by letter case, or by `_` and
/// `-`.
bool is_same_header(std::string_view one, std::string_view other);

/// Whether a header may have this value: no control character except tabs, and no blank at either
/// end, where a reader would strip it. Source: RFC 9110 §5.5.
bool is_header_value(std::string_view value);

}  // namespace bartizan
