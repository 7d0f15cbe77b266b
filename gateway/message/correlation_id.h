#pragma once

#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether a text can be a client's id of a request in its own logs: up to 128 letters, digits and
/// `-_.:/`.
bool is_correlation_id(std::string_view text);

/// The client's id of a request, from its `_meta`: the identity of a trace, or else
/// `bartizan/correlation_id`. Empty if neither is valid. Lifetime: views the message.
/// Source: W3C Trace Context, "traceparent"; MCP SEP-414.
std::string_view read_correlation_id(JsonValue meta);

}  // namespace bartizan
