#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/message/message.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/splice.h"

namespace bartizan {

/// What a client of the legacy era would say in each request, if it were of the modern one.
struct ModernClaim {
  std::string capabilities = "{}";  ///< One JSON object, as a server may know it.
  std::string client_info = {};     ///< One JSON object, or empty.
  std::string log_level = {};       ///< A level of MCP's, or empty.
};

/// The splice that makes a legacy request one of the modern era: the members of `params._meta`
/// that each modern request has. It goes together with those of `leave_modern_era`, which cut what
/// the client itself said under these names.
/// Input:  a request whose `params` has a member that is of the legacy eras.
/// Source: MCP 2026-07-28, basic/index, "_meta".
Splice claim_modern_era(const Message& request, const ModernClaim& claim);

/// The splices that make a request one of the legacy eras: without the members of `params._meta`
/// that MCP reserves, and without `inputResponses` and `requestState`.
/// Source: MCP 2026-07-28, basic/index, "_meta"; basic/patterns/mrtr.
std::vector<Splice> leave_modern_era(const Message& request);

/// Of which kind a modern server's result is.
enum class ResultKind : std::uint8_t {
  complete,
  input_required,  ///< The client is asked for something, and sends the request again.
  unknown          ///< A client has to take it for invalid.
};
/// Input: `result` of a response. Without `resultType` it is complete.
/// Source: MCP 2026-07-28, basic/index, "Responses".
ResultKind result_kind(JsonValue result);

/// A modern server's complete result for a client of the legacy era: without `resultType`, caching
/// hints, and structured content that is no object.
/// Source: MCP 2025-11-25, server/tools, "Structured Content".
std::string legacy_result(JsonValue result);

/// A legacy server's result for a client of the modern era: with `resultType`, and where the
/// method's results have them, with caching hints that let nobody keep it.
/// Source: MCP 2026-07-28, server/utilities/caching.
std::string modern_result(JsonValue result, MethodId method);

/// A modern server's error object for a client of the legacy era. What says that the gateway spoke
/// to the server wrongly is an internal error; a resource that is not found has the code of the
/// legacy era.
/// Input:  `error` of a response to a request of that method.
/// Source: MCP 2025-11-25, server/resources, "Error Handling"; 2026-07-28, basic/index, "Errors".
std::string legacy_error(JsonValue error, MethodId method);

/// A legacy server's error object for a client of the modern era: a resource that is not found has
/// the code of the modern era. Input: the resource that was asked for, or empty.
/// Source: MCP 2026-07-28, server/resources, "Error Handling".
std::string modern_error(JsonValue error, std::string_view uri);

/// The URLs that a legacy server's error wants its user sent to, as `inputRequests` of the modern
/// era: one JSON object; nothing for any other error.
/// Source: MCP 2025-11-25, client/elicitation, "URL Elicitation Required Error"; 2026-07-28,
/// basic/patterns/mrtr.
std::optional<std::string> required_urls(JsonValue error);

}  // namespace bartizan
