#pragma once

#include "schemas/message/tool_definition.h"

namespace bartizan {

/// A tool definition for calls of which only some arguments are known. Its schema names the same
/// arguments and requires the same of each value. No argument is required, and keywords about
/// several arguments together are left out. A definition whose schemas are not usable stays
/// unchanged.
ToolDefinition partial_definition(const ToolDefinition& definition);

}  // namespace bartizan
