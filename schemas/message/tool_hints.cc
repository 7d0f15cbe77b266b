#include "schemas/message/tool_hints.h"

namespace bartizan {

bool harmless_value(ToolHint hint) {
  return hint == ToolHint::read_only || hint == ToolHint::idempotent;
}

bool ToolHints::has(ToolHint hint) const {
  switch (hint) {
    case ToolHint::read_only:
      return read_only;
    case ToolHint::destructive:
      return destructive;
    case ToolHint::idempotent:
      return idempotent;
    case ToolHint::open_world:
      return open_world;
  }
  return !harmless_value(hint);
}

ToolHints read_tool_hints(JsonValue annotations) {
  ToolHints hints;
  const auto said = [annotations](std::string_view name, bool otherwise) {
    return annotations.find(name).boolean().value_or(otherwise);
  };
  hints.read_only = said("readOnlyHint", hints.read_only);
  hints.destructive = said("destructiveHint", !hints.read_only);
  hints.idempotent = said("idempotentHint", hints.read_only);
  hints.open_world = said("openWorldHint", hints.open_world);
  return hints;
}

}  // namespace bartizan
