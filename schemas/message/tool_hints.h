#pragma once

#include <cstdint>

#include "schemas/json/json.h"

namespace bartizan {

/// One of the four hints about behaviour in a tool's `annotations`.
/// Source: MCP 2025-11-25, schema, "ToolAnnotations".
enum class ToolHint : std::uint8_t { read_only, destructive, idempotent, open_world };

/// The hints of a tool's annotations. A missing hint has the worse value, as the protocol defines.
struct ToolHints {
  bool read_only = false, destructive = true, idempotent = false, open_world = true;

  bool has(ToolHint hint) const;
  bool operator==(const ToolHints&) const = default;
};

/// The value of a hint that promises no harm: true for read-only and idempotent, false for
/// destructive and open-world.
bool harmless_value(ToolHint hint);

/// Reads the hints of a tool. Without other hints, a read-only tool is not destructive and may be
/// called again.
/// Input: the `annotations` of a definition, or nothing.
ToolHints read_tool_hints(JsonValue annotations);

}  // namespace bartizan
