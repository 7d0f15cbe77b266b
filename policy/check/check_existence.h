#pragma once

#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Is the called tool there, and not quarantined: readable, with usable schemas, and what people
/// approved of it (`keeps_pin`)? Stands behind `access`, so that a principal
/// without a rule learns nothing about what exists.
Decision check_existence(const ToolProfiles& profiles, const Call& call);

/// Whether a tool can be judged at all: its schemas are usable, without the patterns that cannot be
/// translated where a profile accepts that.
bool is_judgeable(const ToolProfiles& profiles, std::string_view server,
                  const ToolDefinition& tool);

}  // namespace bartizan
