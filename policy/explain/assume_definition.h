#pragma once

#include <string_view>

#include "config/config.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// An assumed definition for a tool whose listed definition is not known. It has the arguments that
/// profiles and rules name for the tool, of any type, and accepts all others. It is not approved.
ToolDefinition assume_definition(const Config& config, std::string_view server,
                                 std::string_view tool);

}  // namespace bartizan
