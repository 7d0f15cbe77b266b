#include "config/pinned_tool.h"

#include "schemas/message/tool_definition.h"

namespace bartizan {

bool is_pinned_as(const PinnedTool& pinned, const ToolDefinition& tool) {
  const bool is_v1 = pinned.version == PinVersion::v1;
  return pinned.fingerprint == (is_v1 ? tool.fingerprint_v1 : tool.fingerprint);
}

}  // namespace bartizan
