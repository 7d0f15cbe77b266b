#pragma once

#include <functional>
#include <map>
#include <string>

#include "config/config.h"
#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does every name in the message mean the same to who reads names exactly and to who ignores
/// letter case, as Go's `encoding/json` does?
///
/// Of the arguments of a tool, a member is refused whose name folds (`folded_name`) as another one
/// that the tool's input schema, a schema of policy or a predicate has in that place; a forced
/// value is a predicate, too. Conditions of rules ask for themselves, and are undecidable then. A
/// name that the schema itself has is none of these where it has the other one, too. Two members of
/// one object that fold alike are refused anywhere, unless the schema has both, or the server's
/// `folded_names` forwards what nothing looks at.
///
/// Stands behind `existence`, which has the definition. Of what servers send, requests are looked
/// at. Cost: a look at each name. Source: CVE-2026-27896.
Decision check_folded_names(const ToolProfiles& profiles,
                            const std::map<std::string, ServerConfig, std::less<>>& servers,
                            const Call& call);

}  // namespace bartizan
