#include "policy/predicate/tool_effect.h"

namespace bartizan {

bool says_hint(const PinnedTool* pinned, const ToolDefinition* tool, ToolHint hint) {
  const bool is_approved =
      pinned != nullptr && pinned->is_approved && (tool == nullptr || is_pinned_as(*pinned, *tool));
  if (!is_approved) return !harmless_value(hint);
  if (!pinned->hints_as_listed) return pinned->hints.has(hint);
  return tool != nullptr ? tool->hints.has(hint) : !harmless_value(hint);
}

ToolEffect effect_of(const PinnedTool* pinned, const ToolDefinition* tool) {
  return says_hint(pinned, tool, ToolHint::read_only) ? ToolEffect::reads : ToolEffect::may_write;
}

}  // namespace bartizan
