#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/message/message.h"
#include "schemas/message/protocol_version.h"
#include "schemas/message/splice.h"

namespace bartizan {

/// The members that a legacy client would send in each request if it used the modern era.
struct ModernClaim {
  std::string capabilities = "{}";  ///< One JSON object, as a server may see it.
  std::string client_info = {};     ///< One JSON object, or empty.
  std::string log_level = {};       ///< An MCP log level, or empty.
};

/// The splice that turns a legacy request into a modern one. It adds the members of `params._meta`
/// that each modern request has. It is used together with the splices of `leave_modern_era`, which
/// cut the client's own members of these names.
/// Input:  a request whose `params` has a member of the legacy eras.
/// Source: MCP 2026-07-28, basic/index, "_meta".
Splice claim_modern_era(const Message& request, const ModernClaim& claim);

/// The splices that turn a request into a legacy one. They cut the members of `params._meta` that
/// MCP reserves, and `inputResponses` and `requestState`.
/// Source: MCP 2026-07-28, basic/index, "_meta"; basic/patterns/mrtr.
std::vector<Splice> leave_modern_era(const Message& request);

/// The kind of a modern server's result.
enum class ResultKind : std::uint8_t {
  complete,
  input_required,  ///< The server requests input, and the client sends the request again.
  unknown          ///< A client must regard it as invalid.
};
/// The kind of a result. Without `resultType` it is complete.
/// Input:  `result` of a response.
/// Source: MCP 2026-07-28, basic/index, "Responses".
ResultKind result_kind(JsonValue result);

/// A modern server's complete result for a legacy client: without `resultType`, caching hints, and
/// structured content that is not an object.
/// Source: MCP 2025-11-25, server/tools, "Structured Content".
std::string legacy_result(JsonValue result);

/// A legacy server's result for a modern client, with `resultType`. If results of the method have
/// caching hints, missing ones are added such that the result is not cached.
/// Source: MCP 2026-07-28, server/utilities/caching.
std::string modern_result(JsonValue result, MethodId method);

/// A modern server's error object for a legacy client. An error about the gateway's own use of the
/// protocol becomes an internal error. A missing resource gets the legacy code.
/// Input:  `error` of a response to a request of that method.
/// Source: MCP 2025-11-25, server/resources, "Error Handling"; 2026-07-28, basic/index, "Errors".
std::string legacy_error(JsonValue error, MethodId method);

/// A legacy server's error object for a modern client. A missing resource gets the modern code.
/// Input:  the URI of the requested resource, or empty.
/// Source: MCP 2026-07-28, server/resources, "Error Handling".
std::string modern_error(JsonValue error, std::string_view uri);

/// The URLs to which a legacy server's error directs its user, as `inputRequests` of the modern
/// era: one JSON object. Nothing for other errors.
/// Source: MCP 2025-11-25, client/elicitation, "URL Elicitation Required Error"; 2026-07-28,
///         basic/patterns/mrtr.
std::optional<std::string> required_urls(JsonValue error);

}  // namespace bartizan
