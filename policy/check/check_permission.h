#pragma once

#include <string>

#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does the principal have every permission that the profiles of the called tool require? This
/// applies to everyone, whatever rule permits the call.
Decision check_permission(const ToolProfiles& profiles, const Call& call);

/// Whether any grant of the principal covers a permission.
bool holds_permission(const Principal& principal, const std::string& permission);

/// Whether the principal has every permission that the profiles of a tool require. For lists, where
/// no call exists yet.
bool holds_permissions(const ToolProfiles& profiles, const Principal& principal,
                       std::string_view server, std::string_view tool);

}  // namespace bartizan
