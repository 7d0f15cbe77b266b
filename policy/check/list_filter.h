#pragma once

#include <expected>
#include <optional>
#include <string>

#include "config/trust.h"
#include "policy/verdict/decision.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A client's filter for the tools that it may call. The protocol has no such filter. Other
/// gateways and servers ignore the unknown member and list more.
struct ListFilter {
  std::optional<std::string> category;  ///< A profile of the tool has it.
  std::optional<Trust> trust_level;     ///< The server's, at least.
};

/// Reads `category` and `trust_level` of the `params` of a `tools/list`.
/// Errors: invalid_params, if one of them is not a text or not a level.
std::expected<ListFilter, Decision> read_list_filter(JsonValue params);

}  // namespace bartizan
