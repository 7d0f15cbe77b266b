#pragma once

#include <cstdint>

#include "schemas/json/json.h"

namespace bartizan {

/// One of the four things that a tool's `annotations` say about what it does.
/// Source: MCP 2025-11-25, schema, "ToolAnnotations".
enum class ToolHint : std::uint8_t { read_only, destructive, idempotent, open_world };

/// What annotations say. Whatever they do not say is the worse of both, as the protocol has it.
struct ToolHints {
  bool read_only = false, destructive = true, idempotent = false, open_world = true;

  bool has(ToolHint hint) const;
  bool operator==(const ToolHints&) const = default;
};

/// Which of both a hint says where it promises no harm: that a tool is read-only or idempotent,
/// that it is not destructive and stays within its world.
bool harmless_value(ToolHint hint);

/// Input: the `annotations` of a definition, or nothing. Where they say nothing else, a tool that
///        only reads destroys nothing and may be called again.
ToolHints read_tool_hints(JsonValue annotations);

}  // namespace bartizan
