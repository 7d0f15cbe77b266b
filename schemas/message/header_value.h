#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// The value of an `Mcp-Name` or `Mcp-Param-*` header as the body would spell it. Surrounding white
/// space is removed, and `=?base64?…?=` is decoded (markers lower case and exact, standard padded
/// Base64 of valid UTF-8). Nothing else is decoded: `%5F` stays as it is.
///
/// Errors:  empty for a sentinel that does not decode.
/// Source:  MCP 2026-07-28, basic/transports/streamable-http, "Value Encoding".
std::optional<std::string> decode_header_value(std::string_view value);

/// The header form of a string, integer or boolean. It is unchanged if it is safe in a header: no
/// control or non-ASCII byte, no surrounding blank, not itself a sentinel. Otherwise it is Base64.
/// Empty for other types.
std::optional<std::string> encode_header_value(JsonValue value);
std::string encode_header_text(std::string_view text);

/// Whether a decoded header value equals the body's value. Integers are compared by value, so
/// `42.0` equals `42`. Other values are compared byte for byte.
bool header_equals(std::string_view decoded, JsonValue value);

/// Decodes strict standard Base64 with padding. Empty for other text. Source: RFC 4648 §4.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace bartizan
