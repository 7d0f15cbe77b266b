#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "schemas/base/error_code.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What a Groundhog client asks, as far as MCP has no member for it.
/// Source: Groundhog, "Request Types".
struct GroundhogRequest {
  enum class Method : std::uint8_t {
    list,          ///< `tools/list`
    invoke,        ///< `tools/invoke`
    register_tool  ///< `tools/register`
  };
  Method method = Method::list;
  std::string words = {};                     ///< Of a list: `query`; empty for any tool.
  std::size_t most = 0;                       ///< Of a list: `limit`.
  std::string tool = {};                      ///< `tool_id` of a call.
  std::string version = {};                   ///< `tool_version` of a call.
  bool limits_permissions = false;            ///< `security_context.permissions` is there.
  std::vector<std::string> permissions = {};  ///< What it says, sorted.
  /// `parameters` of a call as JSON text, for errors about them; empty where they are large.
  std::string parameters = {};
  /// The message of MCP that stands for it; empty for a registration, which MCP does not have.
  std::string message = {};
};

/// Why a message is none that Groundhog has.
struct GroundhogFault {
  ErrorCode code = ErrorCode::invalid_params;
  std::string detail;  ///< A sentence of ours that names the member.
};

/// Reads a request of a Groundhog client. Members that it does not have are refused, but for those
/// of `security_context`: what a client says of itself there, but for the permissions that it
/// limits the call to, counts for nothing.
///
/// Errors: method_not_found; invalid_request for what is no request; invalid_params for a member
///         that is missing, of another type or unknown. What is wrong with the `params` of a
///         registration, `read_registration` finds.
std::expected<GroundhogRequest, GroundhogFault> read_groundhog_request(const Message& message);

}  // namespace bartizan
