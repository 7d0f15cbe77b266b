#pragma once

#include <expected>
#include <optional>
#include <string>

#include "config/trust.h"
#include "policy/verdict/decision.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Which of the tools that it may call a client asks for. The protocol has no such filter; a member
/// that nobody knows is ignored by other gateways and servers, who then list more.
struct ListFilter {
  std::optional<std::string> category;  ///< A profile of the tool has it.
  std::optional<Trust> trust_level;     ///< The server's, at least.
};

/// Reads `category` and `trust_level` of the `params` of a `tools/list`.
/// Errors: invalid_params, where one of them is no text, or no level.
std::expected<ListFilter, Decision> read_list_filter(JsonValue params);

}  // namespace bartizan
