#pragma once

#include <string_view>

#include "schemas/base/result.h"

namespace bartizan {

/// The protocol's own JSON-RPC error codes. Codes for the gateway's verdicts are in
/// `gateway/message/answer_denial.cc`. They are outside this range if the revision requires that.
///
/// Source: JSON-RPC 2.0 §5.1; MCP 2026-07-28, basic/index, "Error Codes".
enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  header_mismatch = -32020,
  missing_capability = -32021,
  unsupported_version = -32022,
};

/// The JSON-RPC code that reports `code` to a client; `internal_error` for codes without one.
RpcCode rpc_code(ErrorCode code);

/// The HTTP status for a message that is refused with `code`, if no call is known yet or the
/// protocol demands a status: 400, 401, 404, 413, 431, 500, 502, 503, 504, 505.
/// Source: MCP 2026-07-28, basic/transports/streamable-http; RFC 9110 §15.
int http_status(ErrorCode code);

}  // namespace bartizan
