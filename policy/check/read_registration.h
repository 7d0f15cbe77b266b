#pragma once

#include <cstddef>
#include <expected>
#include <string>

#include "config/tool_registration.h"
#include "policy/verdict/decision.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A registration that a client requests, and the client's name of the tool.
struct WantedRegistration {
  std::string name;               ///< `tool_metadata.name`.
  ToolRegistration registration;  ///< Of no server and no tool yet.
};

/// The most bytes of the texts of a registration.
inline constexpr std::size_t kRegistrationBytesMax = std::size_t{48} << 10;

/// Reads the `params` of a Groundhog `tools/register`: `tool_metadata`, `security_profile` and
/// `schema`. `security_context` is ignored. Any other member is refused, so that no command and no
/// URL can come along.
///
/// Errors: invalid_params with the JSON pointer and what is expected there: a member that is
///         missing, of another type, too long or unknown; a name that no tool can have; a
///         permission that is none; a schema that does not compile.
/// Cost:   compiles both schemas.
/// Source: Groundhog, "Tool Registration".
std::expected<WantedRegistration, Decision> read_registration(JsonValue params);

}  // namespace bartizan
