#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// The party that must act for an operation to succeed. Decides HTTP statuses, log levels and
/// alerts.
enum class Fault : std::uint8_t { client, server, gateway };

/// The cause of a failure, one value for each cause that a caller may treat differently.
/// `error_text` returns the name of each. `rpc_code` in `schemas/base/error_code.h` returns the
/// number of those that the protocol has.
enum class ErrorCode : std::uint8_t {
  // Input that is not strict JSON.
  json_syntax,
  json_encoding,       ///< Invalid UTF-8, a lone surrogate, or a byte order mark.
  json_trailing,       ///< Bytes after the document.
  json_duplicate_key,  ///< A member name twice in one object, in any spelling.
  json_depth,
  json_size,    ///< More bytes or more values than the limit.
  json_number,  ///< A number that is too large for a double.

  // JSON that is not a message.
  invalid_request,
  ambiguous_member,  ///< A member that differs from a protocol member by letter case only.
  method_not_found,
  invalid_params,
  header_mismatch,
  unsupported_version,
  missing_capability,

  // HTTP framing.
  http_syntax,
  http_framing,  ///< Lengths that two parsers could read differently.
  http_limit,
  http_version,

  // Input, output and resources.
  io_failed,
  closed,
  timed_out,
  cancelled,
  overloaded,  ///< A queue, a pool or the memory budget is full.
  not_found,
  server_failed,       ///< An MCP server that ended, or broke the protocol.
  server_unavailable,  ///< An MCP server that could not be started or reached.
  not_recordable,      ///< The audit record could not be written.
  credentials_bad,     ///< Missing, malformed, unknown or expired credentials.
  config_invalid,
};

/// One failure: its cause, the party at fault, and a sentence for a log.
///
/// `detail` is lower case without a final stop, and quotes input cut to a few dozen bytes. It never
/// holds a secret, an argument's value or a whole message.
struct [[nodiscard]] Error {
  ErrorCode code;
  Fault fault = Fault::client;
  std::string detail = {};
  /// Byte offset into the refused input; -1 if unknown.
  std::int64_t offset = -1;
};

/// A value, or the error instead of it. Every path that hostile input can reach returns one.
/// Exceptions of libraries are caught where the library is called.
template <class T>
using Result = std::expected<T, Error>;

/// Creates the failing side of a Result.
inline std::unexpected<Error> fail(ErrorCode code, Fault fault, std::string detail = {},
                                   std::int64_t offset = -1) {
  return std::unexpected<Error>(Error{code, fault, std::move(detail), offset});
}

/// The stable, lower-case name of a code in logs, metrics and records: `json_syntax`.
std::string_view error_text(ErrorCode code);

}  // namespace bartizan
