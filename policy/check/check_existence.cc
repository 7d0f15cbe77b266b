#include "policy/check/check_existence.h"

#include "policy/check/check_pin.h"
#include "schemas/message/tool_schemas.h"

namespace bartizan {

bool is_judgeable(const ToolProfiles& profiles, std::string_view server,
                  const ToolDefinition& tool) {
  if (tool.schemas == nullptr) return false;
  if (tool.schemas->is_usable(SchemaOptions::Untranslatable::refuse)) return true;
  return tool.schemas->is_usable(profiles.find(server, tool.name)->untranslatable);
}

Decision check_existence(const ToolProfiles& profiles, const Call& call) {
  if (call.message.known->id != MethodId::tools_call) return Decision::pass();
  // A quarantined tool may have no usable definition at all, and is still not unknown.
  if (call.facts.tool_quarantined) return Decision::deny(Reason::tool_quarantined);
  if (call.facts.tool == nullptr) return Decision::deny(Reason::tool_unknown);
  if (!is_judgeable(profiles, call.server, *call.facts.tool) ||
      !keeps_pin(profiles, call.server, *call.facts.tool)) {
    return Decision::deny(Reason::tool_quarantined);
  }
  return Decision::pass();
}

}  // namespace bartizan
