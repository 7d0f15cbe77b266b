#pragma once

#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does the called tool exist, and is it not quarantined? Its entry must be readable, its schemas
/// usable, and its definition accepted (`keeps_pin`). This check runs after `access`, so a
/// principal without a rule does not learn what exists.
Decision check_existence(const ToolProfiles& profiles, const Call& call);

/// Whether a tool can be judged: its schemas are usable. If a profile accepts that, patterns that
/// cannot be translated are left out.
bool is_judgeable(const ToolProfiles& profiles, std::string_view server,
                  const ToolDefinition& tool);

}  // namespace bartizan
