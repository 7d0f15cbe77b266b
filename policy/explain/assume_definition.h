#pragma once

#include <string_view>

#include "config/config.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// A tool of which nobody knows what its server lists: it has the arguments that profiles and rules
/// name for it, of any type, and takes every other. Nobody has approved it.
ToolDefinition assume_definition(const Config& config, std::string_view server,
                                 std::string_view tool);

}  // namespace bartizan
