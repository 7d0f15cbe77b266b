#pragma once

#include "config/pinned_tool.h"
#include "policy/verdict/value_facts.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// Whether a tool has the hint. A hint is the server's claim. It counts if it announces harm, or if
/// a person has approved the exact definition that makes it.
///
/// Input: the tool in the lock file, or null; its listed definition, or null if no list was seen.
bool says_hint(const PinnedTool* pinned, const ToolDefinition* tool, ToolHint hint);

/// The effect that such a tool may have on the things that its arguments name.
ToolEffect effect_of(const PinnedTool* pinned, const ToolDefinition* tool);

}  // namespace bartizan
