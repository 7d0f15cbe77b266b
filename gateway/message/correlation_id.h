#pragma once

#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether a text can be what a client calls a request in its own logs: up to 128 letters, digits
/// and `-_.:/`.
bool is_correlation_id(std::string_view text);

/// What a client calls a request, by its `_meta`: the identity of a trace, or else
/// `bartizan/correlation_id`. Empty where neither is plain. Lifetime: views the message.
/// Source: W3C Trace Context, "traceparent"; MCP SEP-414.
std::string_view read_correlation_id(JsonValue meta);

}  // namespace bartizan
