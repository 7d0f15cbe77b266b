#pragma once

#include "config/pinned_tool.h"
#include "policy/verdict/value_facts.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// Which of both a hint says of a tool. A hint is a server's word: it counts where it promises
/// harm, and where a person has approved the very definition that makes it.
///
/// Input: what the lock file keeps of the tool, or null; its definition as it is listed, or null
///        while no list was seen.
bool says_hint(const PinnedTool* pinned, const ToolDefinition* tool, ToolHint hint);

/// What such a tool may do to what its arguments name.
ToolEffect effect_of(const PinnedTool* pinned, const ToolDefinition* tool);

}  // namespace bartizan
