#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "schemas/base/error_code.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The parts of a Groundhog client's request without an MCP member, and the equivalent MCP message.
/// Source: Groundhog, "Request Types".
struct GroundhogRequest {
  enum class Method : std::uint8_t {
    list,          ///< `tools/list`
    invoke,        ///< `tools/invoke`
    register_tool  ///< `tools/register`
  };
  Method method = Method::list;
  std::string words = {};           ///< `query` of a list; empty: any tool.
  std::size_t most = 0;             ///< `limit` of a list.
  std::string tool = {};            ///< `tool_id` of a call.
  std::string version = {};         ///< `tool_version` of a call.
  bool limits_permissions = false;  ///< Whether `security_context.permissions` is present.
  std::vector<std::string> permissions = {};  ///< Its permissions, sorted.
  /// `parameters` of a call as JSON text, for errors about them. Empty if they are large.
  std::string parameters = {};
  /// The equivalent MCP message. Empty for a registration, which MCP does not have.
  std::string message = {};
};

/// Why a message is not a valid Groundhog request.
struct GroundhogFault {
  ErrorCode code = ErrorCode::invalid_params;
  std::string detail;  ///< A sentence of the gateway that names the member.
};

/// Reads a request of a Groundhog client. Unknown members are refused, except in
/// `security_context`. Of that object only `permissions` counts, which limits the call.
///
/// Errors: `method_not_found`; `invalid_request` if it is not a request; `invalid_params` for a
///         member that is missing, of another type or unknown. `read_registration` checks the
///         `params` of a registration.
std::expected<GroundhogRequest, GroundhogFault> read_groundhog_request(const Message& message);

}  // namespace bartizan
