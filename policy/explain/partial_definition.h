#pragma once

#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The definition of a tool for calls of which only some arguments are known: its schema names the
/// same arguments and asks the same of each value, but no argument is missing, and what a keyword
/// asks of several together is left out. One that cannot be judged stays as it is.
ToolDefinition partial_definition(const ToolDefinition& definition);

}  // namespace bartizan
