#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/check/argument_rewrites.h"

namespace bartizan {

/// An entry of a `tools/list` result as clients see it: under the name that it has for them, and
/// without the properties that profiles force, which are no clients' to give. A property is found
/// where `inputSchema` has it under `properties`; what a `$ref` or `allOf` adds stays.
///
/// Input:  an entry that was read before. Nothing where it cannot be read again.
std::optional<std::string> listed_tool(std::string_view entry, std::string_view name,
                                       const ArgumentRewrites& rewrites);

}  // namespace bartizan
